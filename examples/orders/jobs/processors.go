package jobs

import (
	"context"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

// Processors run the application's jobs by its services. Kinds and the services are required.
type Processors struct {
	Kinds    *Kinds
	Billing  *service.Billing
	Receipts *service.Receipts
	Books    *service.Books
	Around   Around // nil: nothing
}

// Around runs around every attempt of a job: it calls run, or answers itself. orderID is empty where the
// job is of no order.
type Around func(ctx context.Context, lease queue.Lease, orderID string, run func(context.Context) error) error

// Handle adds a handler for each kind to w.
func (p *Processors) Handle(w *worker.Worker) {
	worker.Handle(w, p.Kinds.Charge, p.Charge)
	worker.Handle(w, p.Kinds.Receipt, p.Receipt)
	worker.Handle(w, p.Kinds.Reconcile, p.Reconcile)
}

// Charge processes one attempt of orders.charge.
func (p *Processors) Charge(ctx context.Context, job twice.Job[Charge]) error {
	return p.around(ctx, job.Lease, job.Args.OrderID, func(ctx context.Context) error {
		return p.Billing.Charge(ctx, job.Args.OrderID)
	})
}

// Receipt processes one attempt of orders.receipt.
func (p *Processors) Receipt(ctx context.Context, job twice.Job[Receipt]) error {
	return p.around(ctx, job.Lease, job.Args.OrderID, func(ctx context.Context) error {
		return p.Receipts.Send(ctx, job.Args.OrderID)
	})
}

// Reconcile processes one attempt of orders.reconcile.
func (p *Processors) Reconcile(ctx context.Context, job twice.Job[Reconcile]) error {
	return p.around(ctx, job.Lease, "", func(ctx context.Context) error {
		return p.Books.Reconcile(ctx, job.Args.Due)
	})
}

func (p *Processors) around(ctx context.Context, lease queue.Lease, orderID string, run func(context.Context) error) error {
	if p.Around == nil {
		return run(ctx)
	}
	return p.Around(ctx, lease, orderID, run)
}
