package main

import (
	"context"
	"slices"
	"strings"

	"github.com/twicehq/twice/queue"
)

type queuePauseCmd struct {
	Name string `arg:"" name:"queue" help:"The queue."`
	New  bool   `help:"Pause it even where nothing was ever handed in to it."`
	person
}

func (queuePauseCmd) Help() string {
	return `Use it while what the jobs depend on is down or being changed. Jobs are still accepted, and those that run go on; none begins.

    twice queue pause orders --why "gateway maintenance until 14:00"`
}

func (c queuePauseCmd) Run(ctx context.Context, s *session) error {
	return s.setPaused(ctx, "queue pause", c.Name, true, c.New, c.person)
}

type queueResumeCmd struct {
	Name string `arg:"" name:"queue" help:"The queue."`
	person
}

func (queueResumeCmd) Help() string {
	return `Use it to undo twice queue pause. Waiting jobs begin at once, as workers have room.

    twice queue resume orders --why "maintenance is over"`
}

func (c queueResumeCmd) Run(ctx context.Context, s *session) error {
	return s.setPaused(ctx, "queue resume", c.Name, false, false, c.person)
}

func (s *session) setPaused(ctx context.Context, op, name string, paused, unseen bool, p person) error {
	by, err := p.actor(s, op)
	if err != nil {
		return err
	}
	if err := queue.CheckName("queue", name); err != nil {
		return err
	}
	engine, pauser, err := with[queue.Pauser](ctx, s, op)
	if err != nil {
		return err
	}
	if !unseen {
		if err := knownQueue(ctx, engine, op, name, "; --new pauses one before its first job"); err != nil {
			return err
		}
	}
	set, did := pauser.Resume, "resumed"
	if paused {
		set, did = pauser.Pause, "paused"
	}
	if err := set(ctx, by, name); err != nil {
		return err
	}
	if s.json {
		return s.emit(struct {
			Queue  string `json:"queue"`
			Paused bool   `json:"paused"`
		}{name, paused})
	}
	return s.say("queue %s is %s", plain(name), did)
}

// knownQueue fails where nothing was ever handed in to the queue: the name is likely mistyped. An engine
// that cannot list its queues is believed.
func knownQueue(ctx context.Context, engine queue.Engine, op, name, unless string) error {
	look, ok := queue.As[queue.Inspector](engine)
	if !ok {
		return nil
	}
	depths, err := look.Depths(ctx)
	if err != nil {
		return err
	}
	var names []string
	for _, d := range depths {
		names = append(names, d.Queue)
	}
	if slices.Contains(names, name) {
		return nil
	}
	there := "there is none yet"
	if len(names) > 0 {
		slices.Sort(names)
		there = "there are: " + clip(strings.Join(names, ", "), 200)
	}
	return &queue.Error{Op: op, Subject: name, Reason: queue.ErrNotFound, Detail: "nothing was ever handed in to a queue of that name", Remedy: there + unless}
}
