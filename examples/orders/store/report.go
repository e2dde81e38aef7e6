package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/twicehq/twice/examples/orders/service"
)

// Report gives a comparison of the books as recorded, by its instant; false where there is none.
func (db *DB) Report(ctx context.Context, due time.Time) (_ service.Report, found bool, err error) {
	r := service.Report{Due: due.UTC()}
	var until int64
	err = db.engine.DB().QueryRowContext(ctx, "SELECT until, ours, theirs FROM reconciliations WHERE due = ?", due.UnixMicro()).
		Scan(&until, &r.Ours, &r.Theirs)
	if errors.Is(err, sql.ErrNoRows) {
		return r, false, nil
	}
	if err != nil {
		return r, false, fmt.Errorf("read reconciliation: %w", err)
	}
	r.Until = instant(until)
	rows, err := db.engine.DB().QueryContext(ctx, "SELECT kind, order_id, charge_id, detail FROM differences WHERE due = ? ORDER BY kind, charge_id", due.UnixMicro())
	if err != nil {
		return r, false, fmt.Errorf("read differences: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var d service.Difference
		if err := rows.Scan(&d.Kind, &d.OrderID, &d.ChargeID, &d.Detail); err != nil {
			return r, false, fmt.Errorf("read differences: %w", err)
		}
		r.Differences = append(r.Differences, d)
	}
	return r, true, rows.Err()
}
