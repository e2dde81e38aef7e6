package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/twicehq/twice/examples/orders/service"
)

// Order implements [service.Database]. Of several charges or receipts, which only a mistake makes, it
// gives the first.
func (db *DB) Order(ctx context.Context, id string) (service.Order, error) {
	o := service.Order{ID: id}
	var placed int64
	var charge struct {
		id, currency sql.NullString
		amount, at   sql.NullInt64
	}
	var receipt struct {
		messageID sql.NullString
		at        sql.NullInt64
	}
	err := db.engine.DB().QueryRowContext(ctx, `
		SELECT o.reference, o.customer, o.amount_cents, o.currency, o.placed_at, o.state, o.failure,
		       c.id, c.amount_cents, c.currency, c.charged_at, r.message_id, r.sent_at
		FROM orders o LEFT JOIN charges c ON c.order_id = o.id LEFT JOIN receipts r ON r.order_id = o.id
		WHERE o.id = ? ORDER BY c.charged_at, r.n LIMIT 1`, id).Scan(
		&o.Reference, &o.Customer, &o.AmountCents, &o.Currency, &placed, &o.State, &o.Failure,
		&charge.id, &charge.amount, &charge.currency, &charge.at, &receipt.messageID, &receipt.at)
	if errors.Is(err, sql.ErrNoRows) {
		return service.Order{}, fmt.Errorf("order %.80q: %w", id, service.ErrNotFound)
	}
	if err != nil {
		return service.Order{}, fmt.Errorf("read order %s: %w", id, err)
	}
	o.PlacedAt = instant(placed)
	if charge.id.Valid {
		o.Charge = &service.Charge{ID: charge.id.String, OrderID: id, AmountCents: charge.amount.Int64, Currency: charge.currency.String, ChargedAt: instant(charge.at.Int64)}
	}
	if receipt.messageID.Valid {
		o.Receipt = &service.Receipt{OrderID: id, MessageID: receipt.messageID.String, SentAt: instant(receipt.at.Int64)}
	}
	return o, nil
}

// Charges implements [service.Database].
func (db *DB) Charges(ctx context.Context, until time.Time, after string, limit int) (_ []service.Charge, err error) {
	rows, err := db.engine.DB().QueryContext(ctx, `
		SELECT id, order_id, amount_cents, currency, charged_at FROM charges
		WHERE id > ? AND charged_at <= ? ORDER BY id LIMIT ?`, after, until.UnixMicro(), limit)
	if err != nil {
		return nil, fmt.Errorf("read charges: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var page []service.Charge
	for rows.Next() {
		var c service.Charge
		var at int64
		if err := rows.Scan(&c.ID, &c.OrderID, &c.AmountCents, &c.Currency, &at); err != nil {
			return nil, fmt.Errorf("read charges: %w", err)
		}
		c.ChargedAt = instant(at)
		page = append(page, c)
	}
	return page, rows.Err()
}
