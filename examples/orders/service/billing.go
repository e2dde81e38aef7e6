package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/examples/orders/gateway"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// Billing takes the money for orders. All fields are required.
type Billing struct {
	Database Database
	Ledger   ledger.Store // kept beside the data
	Gateway  Gateway
	Work     Work
	KeyLife  time.Duration // how long the gateway honours an idempotency key: no more than it promises
}

// Charge charges an order at the gateway once, however often it is called for one job; then, in one
// transaction, records the charge, leaves the receipt to be sent and ends the job. It must be called
// below a handler, with the handler's context.
//
// A decline fails the order and buries the job. A person who redrives it has the gateway asked again, and
// so has a worker that died between the two: an order that failed may yet be paid.
func (s *Billing) Charge(ctx context.Context, orderID string) error {
	order, err := s.Database.Order(ctx, orderID)
	if errors.Is(err, ErrNotFound) {
		return twice.Bury(err) // it was stored in the transaction that enqueued this job
	}
	if err != nil {
		return err
	}
	paid, err := ledger.Once(ctx, s.Ledger, s.effect(order))
	switch {
	case errors.Is(err, gateway.ErrDeclined):
		return s.decline(ctx, order, err)
	case errors.Is(err, gateway.ErrInvalid), errors.Is(err, gateway.ErrKeyReused):
		return twice.Bury(err) // a mistake of ours: the same call fails for ever
	case err != nil:
		return err
	}
	err = s.Database.Finish(ctx, func(ctx context.Context, tx Tx) error {
		_, err := ledger.Within(ctx, tx.Effects(), "record", func(ctx context.Context) (string, error) {
			return paid.ID, s.record(ctx, tx, order, paid)
		})
		return err
	})
	if err == nil {
		twice.Logger(ctx).InfoContext(ctx, "order charged", "order", order.ID, "charge", paid.ID)
	}
	return err
}

// effect is the payment of an order, which the gateway can be asked about.
func (s *Billing) effect(o Order) ledger.Effect[gateway.Charge] {
	return ledger.Effect[gateway.Charge]{
		Step: "charge",
		Do: func(ctx context.Context, key string) (gateway.Charge, error) {
			paid, err := s.Gateway.Charge(ctx, key, o.ID, o.AmountCents, o.Currency)
			if err != nil && !errors.Is(err, gateway.ErrUnavailable) {
				return paid, ledger.NotDone(err)
			}
			return paid, err
		},
		Confirm:     s.Gateway.Find,
		KeyLife:     s.KeyLife,
		Doubt:       ledger.Park,
		Fingerprint: queue.FingerprintOf(fmt.Appendf(nil, "%s %d %s", o.ID, o.AmountCents, o.Currency)),
	}
}

func (s *Billing) record(ctx context.Context, tx Tx, o Order, paid gateway.Charge) error {
	charge := Charge{ID: paid.ID, OrderID: o.ID, AmountCents: paid.AmountCents, Currency: paid.Currency, ChargedAt: paid.CreatedAt}
	if err := tx.AddCharge(ctx, charge); err != nil {
		return err
	}
	if err := tx.SetState(ctx, o.ID, Charged, ""); err != nil {
		return err
	}
	return s.Work.EnqueueReceipt(ctx, tx.Jobs(), o.ID)
}

// decline fails the order and ends the job for good.
func (s *Billing) decline(ctx context.Context, o Order, why error) error {
	err := s.Database.Change(ctx, func(ctx context.Context, tx Tx) error {
		now, found, err := tx.Order(ctx, o.ID)
		if err != nil || !found || now.State != Placed {
			return err // another attempt has paid meanwhile, or said the same
		}
		return tx.SetState(ctx, o.ID, Failed, "the payment was declined")
	})
	if err != nil {
		return err
	}
	return twice.Bury(why)
}
