package redis

import (
	"context"

	"github.com/twicehq/twice/queue"
)

// Pause implements [queue.Pauser].
func (e *Engine) Pause(ctx context.Context, by queue.Actor, name string) error {
	return e.pause(ctx, by, "pause", name, true)
}

// Resume implements [queue.Pauser]: it wakes those who wait for the queue.
func (e *Engine) Resume(ctx context.Context, by queue.Actor, name string) error {
	return e.pause(ctx, by, "resume", name, false)
}

func (e *Engine) pause(ctx context.Context, by queue.Actor, what, name string, paused bool) error {
	if err := by.Check(what); err != nil {
		return err
	}
	if err := queue.CheckName("queue", name); err != nil {
		return err
	}
	if err := e.usable(ctx, what); err != nil {
		return err
	}
	_, _, err := e.on(ctx, pauseScript, name, true, nil, func(*line) []string { return []string{flag(paused), actorOf(by, what)} })
	return translated(what, err)
}
