package history

import (
	"context"
	"time"

	"github.com/twicehq/twice/queue"
)

// Engine gives e with everything recorded that client asks of it, and with every ability that e has. What a
// caller's own transaction does (queue.Tx) is recorded by a [Transaction], and not here: a history without it may be
// refused. An error of which it is not known that nothing was changed is recorded as an unknown outcome.
func (r *Recorder) Engine(e queue.Engine, client string) queue.Engine {
	to := e
	if inner, ok := queue.As[queue.Operator](e); ok {
		to = operated{to, inner, r, client}
	}
	if inner, ok := queue.As[queue.Pruner](e); ok {
		to = pruned{to, inner, r, client}
	}
	if inner, ok := queue.As[queue.Schedules](e); ok {
		to = scheduled{to, inner, r, client}
	}
	if inner, ok := queue.As[queue.Exchanger](e); ok {
		to = exchanged{to, inner, r, client}
	}
	return recorded{to, r, client}
}

// recorded is the outermost of the wrappers: each other one adds one ability.
type recorded struct {
	queue.Engine
	r      *Recorder
	client string
}

// Unwrap implements [queue.Wrapper].
func (e recorded) Unwrap() queue.Engine { return e.Engine }

// Enqueue implements [queue.Enqueuer].
func (e recorded) Enqueue(ctx context.Context, jobs ...queue.Job) ([]queue.Receipt, error) {
	c := e.r.begin(e.client, func() []Op { return enqueued(Enqueue, jobs, nil, unheard) })
	receipts, err := e.Engine.Enqueue(ctx, jobs...)
	c.end(enqueued(Enqueue, jobs, receipts, err)...)
	return receipts, err
}

func enqueued(what Call, jobs []queue.Job, receipts []queue.Receipt, err error) []Op {
	ops := make([]Op, len(jobs))
	for i, j := range jobs {
		op := Op{Call: what, Job: j.ID, Print: j.Fingerprint, RunAt: nanos(j.RunAt), Answer: one(nil, err, i)}
		if j.ID.IsZero() {
			op.Job = queue.NewID(j.Kind, j.Key)
		}
		if j.Fingerprint == 0 {
			op.Print = queue.FingerprintOf(j.Payload)
		}
		if err == nil && i < len(receipts) {
			op.Answer, op.Status, op.Holder = OK, receipts[i].Status, receipts[i].HolderState
		}
		ops[i] = op
	}
	return ops
}

// Claim implements [queue.Engine].
func (e recorded) Claim(ctx context.Context, req queue.Claim) ([]queue.Lease, error) {
	c := e.r.begin(e.client, func() []Op { return claimed(req, nil, unheard) })
	leases, err := e.Engine.Claim(ctx, req)
	c.end(claimed(req, leases, err)...)
	return leases, err
}

// claimed gives an operation for each lease, and one for the claim itself, which says whether it was answered.
func claimed(req queue.Claim, leases []queue.Lease, err error) []Op {
	id := claimText(req.ID)
	ops := []Op{{Call: Claim, Claim: id, Answer: one([]error{nil}, err, 0), TTL: req.TTL, Alone: req.Lone}}
	for _, limit := range req.CrashCaps {
		ops[0].Cap = max(ops[0].Cap, limit)
	}
	for _, l := range leases {
		ops = append(ops, Op{
			Call: Claim, Claim: id, Answer: OK, Job: l.Job.ID, Lease: leaseText(l.ID), Token: l.Token, ClaimedAt: nanos(l.ClaimedAt),
			Until: nanos(l.Until), TTL: req.TTL, Counts: l.Counts, Lone: l.Lone, Alone: req.Lone, Cap: req.CrashCaps[l.Job.Kind],
		})
	}
	return ops
}

// Extend implements [queue.Engine].
func (e recorded) Extend(ctx context.Context, ttl time.Duration, leases ...queue.Lease) ([]error, error) {
	c := e.r.begin(e.client, func() []Op { return extended(ttl, leases, nil, unheard) })
	errs, err := e.Engine.Extend(ctx, ttl, leases...)
	c.end(extended(ttl, leases, errs, err)...)
	return errs, err
}

func extended(ttl time.Duration, leases []queue.Lease, errs []error, err error) []Op {
	ops := make([]Op, len(leases))
	for i, l := range leases {
		ops[i] = Op{Call: Extend, Answer: one(errs, err, i), Job: l.Job.ID, Lease: leaseText(l.ID), Token: l.Token, TTL: ttl}
	}
	return ops
}

// Settle implements [queue.Engine].
func (e recorded) Settle(ctx context.Context, ends ...queue.Settlement) ([]error, error) {
	c := e.r.begin(e.client, func() []Op { return settled(ends, nil, unheard) })
	errs, err := e.Engine.Settle(ctx, ends...)
	c.end(settled(ends, errs, err)...)
	return errs, err
}

// settled tells of the jobs to follow where their settlement was applied, or may have been.
func settled(ends []queue.Settlement, errs []error, err error) []Op {
	var ops []Op
	for i, s := range ends {
		a := one(errs, err, i)
		ops = append(ops, Op{
			Call: Settle, Answer: a, Job: s.Lease.Job.ID, Lease: leaseText(s.Lease.ID), Token: s.Lease.Token, RunAt: nanos(s.RunAt),
			State: s.State, Outcome: s.Outcome, Counter: s.Count, Lone: s.Lone, Doubt: s.Reason == queue.ReasonDoubt,
		})
		if len(s.Next) > 0 && (a == OK || a == Unknown) {
			next := enqueued(Follow, s.Next, nil, nil)
			for n := range next {
				next[n].Answer = Unknown // a settlement repeated enqueues nothing, and is a success
			}
			ops = append(ops, next...)
		}
	}
	return ops
}
