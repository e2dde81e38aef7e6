package ledger_test

import (
	"context"
	"errors"
	"testing"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// Case 21: A claims and freezes; the job ends without it, with nothing done; A thaws before its effect:
// no effect is made. The same after a cancel, and after a cancel that raced a new claim.
func TestCase21ZombieAfterTheEnd(t *testing.T) {
	ann := queue.Actor{Name: "ann", Why: "not wanted"}
	die := func(w *world) {
		lease := w.claim()
		list, err := w.ledger.Seal(context.Background(), w.job, lease.Token)
		if err != nil || len(list) != 0 {
			w.Fatal(list, err)
		}
		errs, err := w.engine.Settle(context.Background(), queue.Settlement{Lease: lease, State: queue.Dead, Reason: queue.ReasonFailures,
			Outcome: queue.OutcomeFailed, Count: queue.CountFailure, Error: "no", Effects: list})
		if err = errors.Join(append(errs, err)...); err != nil {
			w.Fatal(err)
		}
	}
	cancel := func(w *world, engine queue.Engine) {
		errs, err := ledger.Cancel(context.Background(), engine, w.ledger, ann, w.job)
		if err = errors.Join(append(errs, err)...); err != nil {
			w.Fatal(err)
		}
	}
	for name, end := range map[string]func(w *world) (zombies []queue.Lease){
		"failed for the last time": func(w *world) []queue.Lease { die(w); return nil },
		"cancelled":                func(w *world) []queue.Lease { cancel(w, w.engine); return nil },
		"cancelled while it was claimed anew": func(w *world) []queue.Lease {
			race := &claimedMeanwhile{Engine: w.engine, inspect: w.engine, w: w}
			cancel(w, race)
			if len(race.leases) != 1 {
				w.Errorf("%d claims raced the cancel", len(race.leases))
			}
			return race.leases
		},
	} {
		t.Run(name, func(t *testing.T) {
			fences(t, func(t *testing.T, fenceA bool) {
				w := newWorld(t, fenceA)
				frozen := w.claim()
				w.tick()
				for _, zombie := range append(end(w), frozen) {
					err := w.attempt(zombie, nowhere)
					want(t, "the zombie", err, queue.ErrLeaseLost)
				}
				for _, r := range []*remote{w.charges, w.books, w.mail} {
					r.want(t, 0, 0)
				}
				if w.rows != 0 {
					t.Error("the row was made")
				}
				record, err := w.engine.Job(context.Background(), w.job)
				if err != nil || len(record.Effects) != 0 || !record.State.Ended() {
					t.Errorf("the record is %+v, %v", record, err)
				}
			})
		})
	}
}

// claimedMeanwhile is an engine on which another worker claims the job right after it was first looked at.
type claimedMeanwhile struct {
	queue.Engine
	inspect queue.Inspector
	w       *world
	leases  []queue.Lease
}

func (c *claimedMeanwhile) Unwrap() queue.Engine { return c.Engine }

func (c *claimedMeanwhile) Job(ctx context.Context, id queue.ID) (queue.Record, error) {
	record, err := c.inspect.Job(ctx, id)
	if len(c.leases) == 0 {
		c.leases = append(c.leases, c.w.claim())
	}
	return record, err
}

func (c *claimedMeanwhile) List(ctx context.Context, q queue.Query) (queue.Page, error) {
	return c.inspect.List(ctx, q)
}

func (c *claimedMeanwhile) Depths(ctx context.Context, queues ...string) ([]queue.Depth, error) {
	return c.inspect.Depths(ctx, queues...)
}
