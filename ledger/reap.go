package ledger

import (
	"context"
	"errors"
	"time"

	"github.com/twicehq/twice/queue"
)

// Reaping says how far back everything is forgotten. Now is required.
type Reaping struct {
	Now     time.Time     // by the caller's clock; neither mark passes its own store's clock
	KeepFor time.Duration // KeepFor; what ended before Now less this is forgotten
	Limit   int           // 1,000; jobs at a call, in the engine and in the ledger each
}

// Reaped counts what one call forgot. More is true where a limit stopped it: call again.
type Reaped struct {
	Mark  time.Time // asked for
	Jobs  int       // rows of the engine
	Swept int       // jobs of the ledger
	More  bool
	Note  string // "no ledger", where there is none
}

// Reap forgets what can no longer come back. The order is the safety: first both marks move, so that nothing as
// old is accepted or does anything any more; then the engine's rows of jobs that have ended go; then
// what the ledger holds of jobs that the engine does not know any more, by the ledger's own freshness.
// It may be interrupted anywhere and called again.
func Reap(ctx context.Context, engine queue.Engine, store Store, r Reaping) (Reaped, error) {
	if r.KeepFor == 0 {
		r.KeepFor = KeepFor
	}
	if r.Limit == 0 {
		r.Limit = 1000
	}
	if r.Now.IsZero() || r.KeepFor < 0 || r.Limit < 0 {
		return Reaped{}, &queue.Error{Op: "reap", Reason: queue.ErrInvalid, Detail: "it needs Now, and no negative KeepFor or Limit"}
	}
	pruner, err := queue.Need[queue.Pruner](engine, "reap")
	if err != nil {
		return Reaped{}, err
	}
	done := Reaped{Mark: r.Now.Add(-r.KeepFor)}
	if err := pruner.MoveMark(ctx, done.Mark); err != nil {
		return done, err
	}
	if store == nil {
		done.Note = noLedger
		done.Jobs, err = pruner.Reap(ctx, r.Limit)
		done.More = done.Jobs >= r.Limit
		return done, err
	}
	inspector, err := queue.Need[queue.Inspector](engine, "reap")
	if err != nil {
		return done, err
	}
	if err := store.MoveMark(ctx, done.Mark); err != nil {
		return done, err
	}
	if done.Jobs, err = pruner.Reap(ctx, r.Limit); err != nil {
		return done, err
	}
	done.Swept, err = store.Sweep(ctx, r.Limit, forgottenBy(inspector))
	done.More = done.Jobs >= r.Limit || done.Swept >= r.Limit
	return done, err
}

// forgottenBy asks an engine which ids it does not know any more.
func forgottenBy(inspector queue.Inspector) func(context.Context, []queue.ID) ([]bool, error) {
	return func(ctx context.Context, ids []queue.ID) ([]bool, error) {
		gone := make([]bool, len(ids))
		for i, id := range ids {
			_, err := inspector.Job(ctx, id)
			if gone[i] = errors.Is(err, queue.ErrNotFound); err != nil && !gone[i] {
				return nil, err
			}
		}
		return gone, nil
	}
}
