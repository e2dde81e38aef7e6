package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/twicehq/twice/examples/orders/service"
)

// Totals counts the rows of the application, for those who compare worlds.
type Totals struct {
	Orders          map[service.State]int `json:"orders"`
	Charges         int                   `json:"charges"`
	ChargedOrders   int                   `json:"charged_orders"` // different ones among the charges
	Receipts        int                   `json:"receipts"`
	ReceiptedOrders int                   `json:"receipted_orders"` // different ones among the receipts
	Reconciliations int                   `json:"reconciliations"`
	Differences     int                   `json:"differences"`
}

// Totals counts by scan, as of one moment, and holds nobody up.
func (db *DB) Totals(ctx context.Context) (_ Totals, err error) {
	t := Totals{Orders: map[service.State]int{}}
	rows, err := db.engine.DB().QueryContext(ctx, `
		SELECT 'charges', count(*), count(DISTINCT order_id) FROM charges
		UNION ALL SELECT 'receipts', count(*), count(DISTINCT order_id) FROM receipts
		UNION ALL SELECT 'reconciliations', count(*), 0 FROM reconciliations
		UNION ALL SELECT 'differences', count(*), 0 FROM differences
		UNION ALL SELECT 'order ' || state, count(*), 0 FROM orders GROUP BY state`)
	if err != nil {
		return t, fmt.Errorf("count rows: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var what string
		var n, orders int
		if err := rows.Scan(&what, &n, &orders); err != nil {
			return t, fmt.Errorf("count rows: %w", err)
		}
		switch what {
		case "charges":
			t.Charges, t.ChargedOrders = n, orders
		case "receipts":
			t.Receipts, t.ReceiptedOrders = n, orders
		case "reconciliations":
			t.Reconciliations = n
		case "differences":
			t.Differences = n
		default:
			t.Orders[service.State(what[len("order "):])] = n
		}
	}
	return t, rows.Err()
}
