package ground

import (
	"context"
	"strings"
	"time"

	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/proof/campaign"
	"github.com/twicehq/twice/queue"
)

func openSQLite(ctx context.Context, url string) (*campaign.Store, error) {
	return sqliteStore(ctx, strings.TrimPrefix(url, "sqlite:"), nil)
}

func sqliteStore(ctx context.Context, path string, now func() time.Time) (*campaign.Store, error) {
	e, err := sqlite.Open(path, sqlite.Config{Now: now})
	if err != nil {
		return nil, err
	}
	err = e.Atomically(ctx, func(ctx context.Context, tx queue.SQL) error {
		_, err := tx.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS campaign_row(job TEXT NOT NULL, token INTEGER NOT NULL)")
		return err
	})
	if err != nil {
		_ = e.Close()
		return nil, err
	}
	return &campaign.Store{Engine: e, Ledger: e.Ledger(), Data: table{e}}, nil
}

// table is the application's data in the engine's file.
type table struct{ e *sqlite.Engine }

func (d table) Transact(ctx context.Context, fn func(context.Context, campaign.Tx) error) error {
	return d.e.Atomically(ctx, func(ctx context.Context, tx queue.SQL) error {
		return fn(ctx, campaign.Tx{Ledger: d.e.Ledger().In(tx), Jobs: d.e.In(tx), Insert: func(ctx context.Context, r campaign.Row) error {
			_, err := tx.ExecContext(ctx, "INSERT INTO campaign_row(job, token) VALUES (?, ?)", r.Job.String(), r.Token)
			return err
		}})
	})
}

func (d table) Rows(ctx context.Context, each func(campaign.Row)) error {
	rows, err := d.e.DB().QueryContext(ctx, "SELECT job, token FROM campaign_row")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var job string
		var r campaign.Row
		if err := rows.Scan(&job, &r.Token); err != nil {
			return err
		}
		if r.Job, err = queue.ParseID(job); err != nil {
			return err
		}
		each(r)
	}
	return rows.Err()
}
