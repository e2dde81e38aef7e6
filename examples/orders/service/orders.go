package service

import (
	"context"
	"time"

	"github.com/twicehq/twice"
)

// Orders places orders and shows them. All fields are required.
type Orders struct {
	Database Database
	Work     Work
	Now      func() time.Time
}

// Place stores the order and leaves its charge to be done, both or neither. The same request again
// gives the order as it is by now, and created is false. It fails with an *InvalidError, with a
// *ConflictError where the reference stands for another order, or with the database's error; after
// one that is queue.ErrUnknownOutcome the same request may be repeated safely.
func (s *Orders) Place(ctx context.Context, r Request) (_ Order, created bool, _ error) {
	wanted, err := r.order(s.Now())
	if err != nil {
		return Order{}, false, err
	}
	var order Order
	err = s.Database.Change(ctx, func(ctx context.Context, tx Tx) error {
		var found bool
		var err error
		created = false
		if order, found, err = tx.Order(ctx, wanted.ID); err != nil || found {
			return err
		}
		if err := tx.AddOrder(ctx, wanted); err != nil {
			return err
		}
		order, created = wanted, true
		return s.Work.EnqueueCharge(ctx, tx.Jobs(), wanted.ID)
	})
	if err != nil {
		return Order{}, false, err
	}
	if differs := order.differing(wanted); len(differs) > 0 {
		return Order{}, false, &ConflictError{Reference: wanted.Reference, Holder: order.ID, Differs: differs}
	}
	if !created {
		order, err = s.Database.Order(ctx, order.ID) // with its charge and receipt
		return order, false, err
	}
	twice.Logger(ctx).InfoContext(ctx, "order placed", "order", order.ID)
	return order, true, nil
}

// Get gives an order; ErrNotFound where there is none.
func (s *Orders) Get(ctx context.Context, id string) (Order, error) { return s.Database.Order(ctx, id) }
