package service

import (
	"context"
	"time"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// Database keeps the application's data. All methods may be called concurrently.
type Database interface {
	// Order gives an order with its charge and receipt; ErrNotFound where there is none.
	Order(ctx context.Context, id string) (Order, error)
	// Charges gives our charges made by the gateway's clock up to and with until: at most limit of those
	// after the charge named, by id. None: that was all.
	Charges(ctx context.Context, until time.Time, after string, limit int) ([]Charge, error)

	// Change runs do in one transaction, which commits unless do fails. do may be run again from the
	// start: it acts only through tx, is brief, and sets its results anew each time.
	Change(ctx context.Context, do func(ctx context.Context, tx Tx) error) error
	// Finish is Change as the last act of the job that ctx belongs to. Where the jobs live in the same
	// database, the job is settled done in that transaction and the worker need not do it again;
	// elsewhere the worker does. ErrLeaseLost: the job goes on elsewhere, and nothing was changed.
	Finish(ctx context.Context, do func(ctx context.Context, tx Tx) error) error
}

// Tx is one transaction. It lives as long as the function it is given to, and serves one goroutine.
type Tx interface {
	Jobs() queue.Enqueuer // what is enqueued there commits with the data, or not at all
	Effects() ledger.Tx   // the record of effects, likewise

	Order(ctx context.Context, id string) (_ Order, found bool, _ error) // without charge and receipt
	AddOrder(ctx context.Context, o Order) error
	SetState(ctx context.Context, orderID string, s State, failure string) error
	AddCharge(ctx context.Context, c Charge) error
	AddReceipt(ctx context.Context, r Receipt) error
	AddReport(ctx context.Context, r Report) error
}
