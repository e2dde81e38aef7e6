package main

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/twicehq/twice/diagnose"
	"github.com/twicehq/twice/queue"
)

type diagnoseCmd struct {
	Queue []string      `arg:"" optional:"" help:"Only these queues; all unless given." placeholder:"QUEUE"`
	For   time.Duration `help:"How long to look before the answer: rates and stuck handlers show only over time." default:"10s" placeholder:"LENGTH"`
	Watch bool          `help:"Go on looking, and tell whenever a verdict changes, until Ctrl-C."`
}

func (diagnoseCmd) Help() string {
	return `Use it first when jobs are late: for each queue it says in one word what is the matter, from what it saw, what would change its mind, and what to do. It tells a stuck consumer from too few of them. Exit status 1 when a person must act, 0 when all is well.

    twice diagnose
    twice diagnose orders --for 1m
    twice diagnose --watch
    twice diagnose --json | jq '.[] | select(.well | not)'`
}

const diagnoseOp = "diagnose"

// looks is how many samples an answer rests on.
const looks = diagnose.DefaultWindow

func (c diagnoseCmd) Run(ctx context.Context, s *session) error {
	switch {
	case c.For < time.Second || c.For > time.Hour:
		return usagef(diagnoseOp, "use 1s to 1h", "--for is %s", c.For)
	case len(c.Queue) > 100:
		return usagef(diagnoseOp, "name at most 100", "%d queues are named", len(c.Queue))
	}
	for _, name := range c.Queue {
		if err := queue.CheckName("queue", name); err != nil {
			return err
		}
	}
	engine, err := s.engine(ctx)
	if err != nil {
		return err
	}
	every := c.For / looks
	w := diagnose.NewWatch(engine, diagnose.Config{Rules: diagnose.Rules{Every: every}, Queues: c.Queue})
	if c.Watch {
		return c.watch(ctx, s, w, every)
	}
	bar := s.progress("looking", looks)
	for range looks {
		w.Take(ctx)
		bar.add(1)
		if !rest(ctx, every) {
			bar.end()
			return ctx.Err()
		}
	}
	w.Take(ctx)
	bar.end()
	return c.answer(s, c.sorted(w.Findings()))
}

// sorted puts what needs a person first.
func (c diagnoseCmd) sorted(all []diagnose.Finding) []diagnose.Finding {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b diagnose.Finding) int {
		if a.Well != b.Well {
			if b.Well {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Queue, b.Queue)
	})
	return all
}

func (c diagnoseCmd) answer(s *session, all []diagnose.Finding) error {
	var err error
	switch {
	case s.json:
		if all == nil {
			all = []diagnose.Finding{}
		}
		err = s.emit(all)
	case len(all) == 0:
		s.note("No queue yet: one begins with its first job.")
	default:
		err = printFindings(s, all)
	}
	if err == nil && slices.ContainsFunc(all, func(f diagnose.Finding) bool { return !f.Well }) {
		return errBad
	}
	return err
}

// watch looks until the person has seen enough. With --json each look is one line; else only what changed is told. Its
// exit status is that of the last look.
func (c diagnoseCmd) watch(ctx context.Context, s *session, w *diagnose.Watch, every time.Duration) error {
	told := map[string]diagnose.Verdict{}
	well := true
	for {
		w.Take(ctx)
		if ctx.Err() != nil {
			break
		}
		all := c.sorted(w.Findings())
		well = !slices.ContainsFunc(all, func(f diagnose.Finding) bool { return !f.Well })
		if s.json {
			line, err := json.Marshal(all)
			if err == nil {
				err = s.write(s.Stdout, append(harmlessJSON(line), '\n'))
			}
			if err != nil {
				return err
			}
		} else {
			for _, f := range all {
				if told[f.Queue] == f.Verdict {
					continue
				}
				told[f.Queue] = f.Verdict
				if err := s.say("%s", s.Now().In(s.Zone).Format(time.TimeOnly)); err != nil {
					return err
				}
				if err := printFindings(s, []diagnose.Finding{f}); err != nil {
					return err
				}
			}
		}
		if !rest(ctx, every) {
			break
		}
	}
	if !well {
		return errBad
	}
	if errors.Is(context.Cause(ctx), context.Canceled) {
		return nil // that is how it ends
	}
	return ctx.Err()
}

// rest waits; false where ctx ended.
func rest(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
