package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

type deadResolveCmd struct {
	ID           string `arg:"" name:"id" help:"The job's id."`
	Step         string `arg:"" name:"step" help:"The effect's step, as twice job shows it."`
	Happened     bool   `help:"The effect happened: it is never made again."`
	DidNotHappen bool   `help:"The effect did not happen: it is made when the job runs again."`
	Result       string `help:"With --happened: what its handler would have recorded. JSON, @FILE, or - for stdin. Else null." placeholder:"JSON"`
	person
}

func (deadResolveCmd) Help() string {
	return `Use it for a job in doubt, after you have asked the other side whether it knows the effect's key. When no doubt is left, the job is redriven.

    twice dead resolve 6f1c…e2 charge --happened --result '{"charge_id":"ch_81"}' --why "found it at the gateway"

"It did not happen" is about the past: a worker frozen just before its call still makes it when it thaws. Wait until no such worker can be left.`
}

const resolveOp = "dead resolve"

func (c deadResolveCmd) Run(ctx context.Context, s *session) error {
	if c.Happened == c.DidNotHappen {
		return usage(resolveOp, "it does not say what the answer is", "add --happened or --did-not-happen, one of the two; if you cannot tell, leave the job as it is")
	}
	if c.DidNotHappen && c.Result != "" {
		return usage(resolveOp, "an effect that did not happen has no result", "leave --result out")
	}
	by, err := c.actor(s, resolveOp)
	if err != nil {
		return err
	}
	id, err := queue.ParseID(c.ID)
	if err != nil {
		return err
	}
	if err := queue.CheckName("step", c.Step); err != nil {
		return err
	}
	var result []byte
	if c.Result != "" {
		if result, err = s.input(resolveOp, "result", c.Result, resultLimit); err != nil {
			return err
		}
		if !json.Valid(result) {
			return usage(resolveOp, "its result is not JSON", "give what the effect's handler would have recorded, or leave --result out")
		}
	}
	engine, err := s.engine(ctx)
	if err != nil {
		return err
	}
	store, err := s.ledger(ctx, engine)
	if err != nil {
		return err
	}
	left, err := ledger.Resolve(ctx, engine, store, by, ledger.Key{Job: id, Step: c.Step}, c.Happened, result)
	if err != nil {
		return err
	}
	return c.report(s, id, left)
}

// resultLimit bounds a recorded result; an engine may allow less.
var resultLimit = limit{bytes: 1 << 20, room: 1 << 20, remedy: "give only what the handler would have recorded"}

func (c deadResolveCmd) report(s *session, id queue.ID, left []ledger.Key) error {
	steps := []string{}
	for _, k := range left {
		steps = append(steps, k.Step)
	}
	if s.json {
		return s.emit(struct {
			ID       queue.ID `json:"id"`
			Step     string   `json:"step"`
			Happened bool     `json:"happened"`
			Left     []string `json:"doubts_left"`
			Redriven bool     `json:"redriven"`
		}{id, c.Step, c.Happened, steps, len(left) == 0})
	}
	answer := "happened"
	if c.DidNotHappen {
		answer = "did not happen"
	}
	if len(left) > 0 {
		return s.say("recorded: %s %s. The job stays dead: still in doubt: %s", plain(c.Step), answer, plain(strings.Join(steps, ", ")))
	}
	return s.say("recorded: %s %s. No doubt is left: the job is redriven", plain(c.Step), answer)
}
