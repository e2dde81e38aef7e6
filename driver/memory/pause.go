package memory

import (
	"context"

	"github.com/twicehq/twice/queue"
)

// Pause implements [queue.Pauser].
func (e *Engine) Pause(ctx context.Context, by queue.Actor, name string) error {
	return e.setPaused(ctx, by, "pause", name, true)
}

// Resume implements [queue.Pauser]; it wakes those who wait for the queue.
func (e *Engine) Resume(ctx context.Context, by queue.Actor, name string) error {
	return e.setPaused(ctx, by, "resume", name, false)
}

func (e *Engine) setPaused(ctx context.Context, by queue.Actor, what, name string, paused bool) error {
	if err := by.Check(what); err != nil {
		return err
	}
	if err := queue.CheckName("queue", name); err != nil {
		return err
	}
	now, leave, err := e.enter(ctx, what)
	if err != nil {
		return err
	}
	defer leave()
	l := e.line(name)
	l.paused = paused
	e.rouse(l)
	e.trail = append(e.trail, queue.Change{At: now, By: by, What: what, Queue: name})
	return nil
}
