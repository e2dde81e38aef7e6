package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/twicehq/twice/queue"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrate applies the steps still to do, all in one transaction. Several processes may do it at once.
func migrate(ctx context.Context, db *sql.DB) error {
	names, err := fs.Glob(migrations, "migrations/*.sql") // sorted
	if err != nil || upToDate(ctx, db, len(names)) {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS orders_migration(n INTEGER PRIMARY KEY, name TEXT NOT NULL)"); err != nil {
		return err
	}
	var have int
	if err := tx.QueryRowContext(ctx, "SELECT coalesce(max(n), 0) FROM orders_migration").Scan(&have); err != nil {
		return err
	}
	if have > len(names) {
		return &queue.Error{Op: "migrate", Subject: "the orders tables", Reason: queue.ErrSchema,
			Detail: fmt.Sprintf("they are at step %d, this program knows %d", have, len(names)), Remedy: "run a newer version of the program"}
	}
	for n := have; n < len(names); n++ {
		step, err := migrations.ReadFile(names[n])
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, string(step)); err != nil {
			return fmt.Errorf("%s: %w", names[n], err)
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO orders_migration VALUES (?, ?)", n+1, names[n]); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// upToDate reports whether nothing is to do, without waiting for the file's one write lock: a process that
// starts while others are busy is not held up.
func upToDate(ctx context.Context, db *sql.DB, steps int) bool {
	var have int
	err := db.QueryRowContext(ctx, "SELECT coalesce(max(n), 0) FROM orders_migration").Scan(&have)
	return err == nil && have == steps
}
