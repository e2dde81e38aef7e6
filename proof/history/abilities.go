package history

import (
	"context"
	"time"

	"github.com/twicehq/twice/queue"
)

// The abilities have names of their own here, since a struct cannot embed two things of one name.
type (
	operator  interface{ queue.Operator }
	pruner    interface{ queue.Pruner }
	schedules interface{ queue.Schedules }
)

type operated struct {
	queue.Engine
	operator
	r      *Recorder
	client string
}

func (e operated) Unwrap() queue.Engine { return e.Engine }

// Cancel implements [queue.Operator].
func (e operated) Cancel(ctx context.Context, by queue.Actor, cuts ...queue.Cut) ([]error, error) {
	c := e.r.begin(e.client, func() []Op { return cancelled(cuts, nil, unheard) })
	errs, err := e.operator.Cancel(ctx, by, cuts...)
	c.end(cancelled(cuts, errs, err)...)
	return errs, err
}

func cancelled(cuts []queue.Cut, errs []error, err error) []Op {
	ops := make([]Op, len(cuts))
	for i, cut := range cuts {
		ops[i] = Op{Call: Cancel, Answer: one(errs, err, i), Job: cut.ID, Sealed: cut.Sealed, Token: cut.Token}
	}
	return ops
}

// Redrive implements [queue.Operator].
func (e operated) Redrive(ctx context.Context, by queue.Actor, ids ...queue.ID) ([]error, error) {
	return e.change(Redrive, ids, func() ([]error, error) { return e.operator.Redrive(ctx, by, ids...) })
}

// Resolved implements [queue.Operator].
func (e operated) Resolved(ctx context.Context, by queue.Actor, ids ...queue.ID) ([]error, error) {
	return e.change(Resolve, ids, func() ([]error, error) { return e.operator.Resolved(ctx, by, ids...) })
}

// Discard implements [queue.Operator].
func (e operated) Discard(ctx context.Context, by queue.Actor, ids ...queue.ID) ([]error, error) {
	return e.change(Discard, ids, func() ([]error, error) { return e.operator.Discard(ctx, by, ids...) })
}

func (e operated) change(what Call, ids []queue.ID, do func() ([]error, error)) ([]error, error) {
	c := e.r.begin(e.client, func() []Op { return changed(what, ids, nil, unheard) })
	errs, err := do()
	c.end(changed(what, ids, errs, err)...)
	return errs, err
}

func changed(what Call, ids []queue.ID, errs []error, err error) []Op {
	ops := make([]Op, len(ids))
	for i, id := range ids {
		ops[i] = Op{Call: what, Answer: one(errs, err, i), Job: id}
	}
	return ops
}

type pruned struct {
	queue.Engine
	pruner
	r      *Recorder
	client string
}

func (e pruned) Unwrap() queue.Engine { return e.Engine }

// Prune implements [queue.Pruner].
func (e pruned) Prune(ctx context.Context, limit int) (int, error) {
	return e.forget(func() (int, error) { return e.pruner.Prune(ctx, limit) })
}

// Reap implements [queue.Pruner].
func (e pruned) Reap(ctx context.Context, limit int) (int, error) {
	return e.forget(func() (int, error) { return e.pruner.Reap(ctx, limit) })
}

// forget records only what forgot something, or may have: after it, no row of an ended job is missed.
func (e pruned) forget(do func() (int, error)) (int, error) {
	c := e.r.begin(e.client, func() []Op { return []Op{{Call: Prune, Answer: Unknown}} })
	n, err := do()
	if n > 0 || err != nil {
		c.end(Op{Call: Prune, Answer: one([]error{nil}, err, 0)})
	} else {
		c.end()
	}
	return n, err
}

type scheduled struct {
	queue.Engine
	schedules
	r      *Recorder
	client string
}

func (e scheduled) Unwrap() queue.Engine { return e.Engine }

// Fire implements [queue.Schedules].
func (e scheduled) Fire(ctx context.Context, name string, before, due time.Time, job queue.Job) (queue.Receipt, error) {
	c := e.r.begin(e.client, func() []Op { return enqueued(Enqueue, []queue.Job{job}, nil, unheard) })
	receipt, err := e.schedules.Fire(ctx, name, before, due, job)
	c.end(enqueued(Enqueue, []queue.Job{job}, []queue.Receipt{receipt}, err)...)
	return receipt, err
}

type exchanged struct {
	queue.Engine
	inner  queue.Exchanger
	r      *Recorder
	client string
}

func (e exchanged) Unwrap() queue.Engine { return e.Engine }

// Exchange implements [queue.Exchanger].
func (e exchanged) Exchange(ctx context.Context, ends []queue.Settlement, req queue.Claim) ([]error, []queue.Lease, error) {
	c := e.r.begin(e.client, func() []Op { return append(settled(ends, nil, unheard), claimed(req, nil, unheard)...) })
	errs, leases, err := e.inner.Exchange(ctx, ends, req)
	c.end(append(settled(ends, errs, err), claimed(req, leases, err)...)...)
	return errs, leases, err
}

// Look records what is known of jobs, so that a check finds one that was lost. It fails where the engine cannot tell.
func (r *Recorder) Look(ctx context.Context, e queue.Engine, ids ...queue.ID) error {
	inspector, err := queue.Need[queue.Inspector](e, "look")
	if err != nil {
		return err
	}
	for _, id := range ids {
		c := r.begin("look", func() []Op { return nil })
		rec, err := inspector.Job(ctx, id)
		op := Op{Call: Look, Job: id, Answer: answer(err)}
		if err == nil {
			op.State, op.Token, op.Counts, op.Whole = rec.State, rec.Token, rec.Counts, rec.Whole
		} else if op.Answer != NotFound {
			c.end() // it changes nothing
			return err
		}
		c.end(op)
	}
	return nil
}
