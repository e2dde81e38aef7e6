package orders

import (
	"context"
	"errors"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/examples/orders/jobs"
	"github.com/twicehq/twice/queue"
)

// JobsOf makes the jobs of an order as they were enqueued, by id: its charge and its receipt.
func (a *App) JobsOf(ctx context.Context, orderID string) ([]queue.Job, error) {
	charge, err := a.Kinds.Charge.Job(ctx, jobs.Charge{OrderID: orderID})
	receipt, err2 := a.Kinds.Receipt.Job(ctx, jobs.Receipt{OrderID: orderID})
	return []queue.Job{charge, receipt}, errors.Join(err, err2)
}

// Redeliver runs the handler of a job that has ended once more, whole: as a worker would that was frozen
// right after its last claim, or where a broker without a fence delivers it again. The engine gives no
// lease of an ended job, so the lease is built here: with the job's last token, and not held by anybody.
// It gives the handler's answer, which is ErrLeaseLost as soon as it would change anything that is
// fenced. ErrState: the job has not ended. For demonstrations and tests.
func (a *App) Redeliver(ctx context.Context, job queue.Job) (answer, err error) {
	look, err := queue.Need[queue.Inspector](a.base.Engine, "redeliver")
	if err != nil {
		return nil, err
	}
	record, err := look.Job(ctx, job.ID)
	if err != nil {
		return nil, err
	}
	if !record.State.Ended() {
		return nil, &queue.Error{Op: "redeliver", Subject: job.ID.String(), Reason: queue.ErrState, Detail: "it is " + record.State.String()}
	}
	lease := queue.Lease{
		Job: job, ID: queue.NewClaimID().Lease(job.ID, record.Token), Token: record.Token, Worker: "redelivery",
		ClaimedAt: record.ClaimedAt, Until: record.LeaseUntil, FreshAt: record.FreshAt, Counts: record.Counts,
	}
	_, answer = a.Processors.Deliver(twice.WithLogger(ctx, a.cfg.Logger), lease)
	return answer, nil
}
