package memory

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/twicehq/twice/queue"
)

// announced is a worker and until when its word holds.
type announced struct {
	worker queue.Worker
	ttl    time.Duration
}

// Announce implements [queue.Presence].
func (e *Engine) Announce(ctx context.Context, w queue.Worker, ttl time.Duration) error {
	if err := w.Check(ttl); err != nil {
		return err
	}
	now, leave, err := e.enter(ctx, "announce")
	if err != nil {
		return err
	}
	defer leave()
	w.SeenAt, w.Silent = now, false
	e.workers[w.Name] = announced{w.Clone(), ttl}
	return nil
}

// Withdraw implements [queue.Presence]. A name that is not known is well: the worker is gone.
func (e *Engine) Withdraw(ctx context.Context, name string) error {
	_, leave, err := e.enter(ctx, "withdraw")
	if err != nil {
		return err
	}
	defer leave()
	delete(e.workers, name)
	return nil
}

// Workers implements [queue.Presence]: by name.
func (e *Engine) Workers(ctx context.Context) ([]queue.Worker, error) {
	now, leave, err := e.enter(ctx, "workers")
	if err != nil {
		return nil, err
	}
	defer leave()
	var all []queue.Worker
	for name, a := range e.workers {
		silence := now.Sub(a.worker.SeenAt)
		if silence > 2*a.ttl {
			delete(e.workers, name)
			continue
		}
		w := a.worker.Clone()
		w.Silent = silence > a.ttl
		all = append(all, w)
	}
	slices.SortFunc(all, func(a, b queue.Worker) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}
