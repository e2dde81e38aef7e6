package jobs

import (
	"context"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/queue"
)

// Deliver runs the processor of the lease's kind once, with the context that a worker would give it, and
// gives its answer; settled tells whether it ended the job itself. It claims and settles nothing: it is
// for tests and demonstrations that deliver a job at moments of their own choice.
func (p *Processors) Deliver(ctx context.Context, lease queue.Lease) (settled bool, answer error) {
	holding := &queue.Holding{Lease: lease}
	ctx = twice.WithHeaders(queue.WithHolding(ctx, holding), lease.Job.Headers)
	switch lease.Job.Kind {
	case ChargeKind:
		answer = decoded(ctx, p.Kinds.Charge, lease, p.Charge)
	case ReceiptKind:
		answer = decoded(ctx, p.Kinds.Receipt, lease, p.Receipt)
	case ReconcileKind:
		answer = decoded(ctx, p.Kinds.Reconcile, lease, p.Reconcile)
	default:
		answer = &queue.Error{Op: "deliver", Subject: lease.Job.Kind, Reason: queue.ErrInvalid, Detail: "the application has no such kind"}
	}
	return holding.Settled(), answer
}

func decoded[T any](ctx context.Context, kind *twice.Kind[T], lease queue.Lease, process func(context.Context, twice.Job[T]) error) error {
	job, err := kind.Decode(lease)
	if err != nil {
		return err
	}
	return process(ctx, job)
}
