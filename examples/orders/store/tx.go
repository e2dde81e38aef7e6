package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// tx is one transaction; it implements [service.Tx].
type tx struct {
	sql     queue.SQL
	jobs    queue.Enqueuer
	effects ledger.Tx
}

func (t *tx) Jobs() queue.Enqueuer { return t.jobs }
func (t *tx) Effects() ledger.Tx   { return t.effects }

func (t *tx) exec(ctx context.Context, query string, args ...any) error {
	_, err := t.sql.ExecContext(ctx, query, args...)
	return err
}

func (t *tx) Order(ctx context.Context, id string) (service.Order, bool, error) {
	o := service.Order{ID: id}
	var placed int64
	err := t.sql.QueryRowContext(ctx, "SELECT reference, customer, amount_cents, currency, placed_at, state, failure FROM orders WHERE id = ?", id).
		Scan(&o.Reference, &o.Customer, &o.AmountCents, &o.Currency, &placed, &o.State, &o.Failure)
	if errors.Is(err, sql.ErrNoRows) {
		return service.Order{}, false, nil
	}
	o.PlacedAt = instant(placed)
	return o, err == nil, err
}

func (t *tx) AddOrder(ctx context.Context, o service.Order) error {
	return t.exec(ctx, "INSERT INTO orders(id, reference, customer, amount_cents, currency, placed_at, state, failure) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		o.ID, o.Reference, o.Customer, o.AmountCents, o.Currency, o.PlacedAt.UnixMicro(), o.State, o.Failure)
}

func (t *tx) SetState(ctx context.Context, orderID string, s service.State, failure string) error {
	return t.exec(ctx, "UPDATE orders SET state = ?, failure = ? WHERE id = ?", s, failure, orderID)
}

func (t *tx) AddCharge(ctx context.Context, c service.Charge) error {
	return t.exec(ctx, "INSERT INTO charges(id, order_id, amount_cents, currency, charged_at) VALUES (?, ?, ?, ?, ?)",
		c.ID, c.OrderID, c.AmountCents, c.Currency, c.ChargedAt.UnixMicro())
}

func (t *tx) AddReceipt(ctx context.Context, r service.Receipt) error {
	return t.exec(ctx, "INSERT INTO receipts(order_id, message_id, sent_at) VALUES (?, ?, ?)", r.OrderID, r.MessageID, r.SentAt.UnixMicro())
}

func (t *tx) AddReport(ctx context.Context, r service.Report) error {
	err := t.exec(ctx, "INSERT INTO reconciliations(due, until, ours, theirs, differences) VALUES (?, ?, ?, ?, ?)",
		r.Due.UnixMicro(), r.Until.UnixMicro(), r.Ours, r.Theirs, len(r.Differences))
	if err != nil {
		return err
	}
	for _, d := range r.Differences {
		err := t.exec(ctx, "INSERT INTO differences(due, kind, charge_id, order_id, detail) VALUES (?, ?, ?, ?, ?)",
			r.Due.UnixMicro(), d.Kind, d.ChargeID, d.OrderID, d.Detail)
		if err != nil {
			return err
		}
	}
	return nil
}

// instant reads a time as stored; 0 is none.
func instant(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}
