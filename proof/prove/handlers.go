package prove

import (
	"context"
	"fmt"
	"time"

	"github.com/twicehq/twice/proof"
	"github.com/twicehq/twice/queue"
)

var handlers = []Part{
	{ID: "F1", Title: "every crash point of a handler's life, two crashes, two attempts", Shows: "the world of one clean run", once: true,
		fight: func(ctx context.Context, r *round) error { return r.kit(ctx, false) }},
}

// pairs of each sort are explored in two minutes; the more time there is, the more, up to all.
const pairs = 30

// kit proves the handlers, or those with their guard removed.
func (r *round) kit(ctx context.Context, controls bool) error {
	n := 0
	var fresh Fresh
	if r.place.Fresh != nil {
		fresh = func(now func() time.Time) (queue.Engine, error) { return r.place.Fresh(ctx, now) }
	}
	for _, h := range r.Handlers {
		if h.Control != controls {
			continue
		}
		n++
		if ctx.Err() != nil {
			return ctx.Err()
		}
		report, err := h.Run(proof.Limits{Pairs: int(max(pairs, pairs*r.Time.Minutes()/2))}, fresh)
		if err != nil {
			return fmt.Errorf("%s: %w", h.Name, err)
		}
		r.found.Schedules += report.Explored
		r.found.spaces = append(r.found.spaces, Space{Name: h.Name, Proof: &report})
		if report.Failure != nil {
			r.broke("%s: %s", h.Name, report.Failure.What)
			continue
		}
		if controls {
			return fmt.Errorf("%s passes without its guard", h.Name)
		}
	}
	if n == 0 {
		return fmt.Errorf("no handler was given")
	}
	return nil
}
