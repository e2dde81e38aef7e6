package memory

import (
	"context"
	"fmt"
	"time"

	"github.com/twicehq/twice/queue"
)

// Extend needs: the row's lease_id is mine. Then: lease_until = now+ttl.
func (e *Engine) Extend(ctx context.Context, ttl time.Duration, leases ...queue.Lease) ([]error, error) {
	if ttl < queue.Resolution || ttl > MaxTTL {
		return nil, &queue.Error{Op: "extend", Reason: queue.ErrInvalid, Detail: fmt.Sprintf("its ttl is %s", ttl), Remedy: fmt.Sprintf("use %s to %s", queue.Resolution, MaxTTL)}
	}
	if err := e.fits("extend", len(leases)); err != nil {
		return nil, err
	}
	now, leave, err := e.enter(ctx, "extend")
	if err != nil {
		return nil, err
	}
	defer leave()
	errs := make([]error, len(leases))
	for i, l := range leases {
		r := e.jobs[l.Job.ID]
		if !r.held(l) {
			errs[i] = lost("extend", l, r)
			continue
		}
		e.take(r)
		r.ttl, r.at, r.spared = ttl, now.Add(ttl), false
		e.place(r, now)
	}
	return errs, nil
}

// lost says that the lease is not held, and why.
func lost(op string, l queue.Lease, r *row) error {
	err := &queue.Error{Op: op, Subject: l.Job.ID.String(), Reason: queue.ErrLeaseLost}
	switch {
	case r == nil:
		err.Detail = "the job is not known any more"
	case r.state == queue.Cancelled && r.reason == queue.ReasonCancelled:
		err.Cause = queue.ErrCancelled
	default:
		err.Detail = fmt.Sprintf("the lease has token %d; the job is %s at token %d", l.Token, r.state, r.token)
	}
	return err
}

// Under runs fn while the lease is held and cannot be lost, as one step with whatever fn changes; else it
// fails with ErrLeaseLost. fn must not call the engine.
func (e *Engine) Under(lease queue.Lease, fn func() error) error {
	_, leave, err := e.enter(context.Background(), "hold")
	if err != nil {
		return err
	}
	defer leave()
	if r := e.jobs[lease.Job.ID]; !r.held(lease) {
		return lost("hold", lease, r)
	}
	return fn()
}
