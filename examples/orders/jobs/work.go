package jobs

import (
	"context"
	"time"

	"github.com/twicehq/twice/cron"
	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/queue"
)

var _ service.Work = (*Kinds)(nil)

// EnqueueCharge implements [service.Work].
func (k *Kinds) EnqueueCharge(ctx context.Context, in queue.Enqueuer, orderID string) error {
	_, err := k.Charge.Enqueue(ctx, in, Charge{orderID})
	return err
}

// EnqueueReceipt implements [service.Work].
func (k *Kinds) EnqueueReceipt(ctx context.Context, in queue.Enqueuer, orderID string) error {
	_, err := k.Receipt.Enqueue(ctx, in, Receipt{orderID})
	return err
}

// ReconcileAt makes the job of one due instant, to the second: the same for whoever makes it.
func (k *Kinds) ReconcileAt(ctx context.Context, due time.Time) (queue.Job, error) {
	return k.Reconcile.Job(ctx, Reconcile{wholeSecond(due)})
}

// Schedule is when the books are compared: a spec as package cron reads it, in UTC.
func (k *Kinds) Schedule(spec string) cron.Entry {
	return cron.Of(ReconcileKind, spec, "", k.Reconcile, func(due time.Time) Reconcile { return Reconcile{wholeSecond(due)} })
}

func wholeSecond(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }
