package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/twicehq/twice/queue"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// steps are the migrations of this program, oldest first: NNNN_name.sql.
var steps = func() (all []queue.Migration) {
	files, err := migrationFiles.ReadDir("migrations")
	if err != nil {
		panic(err)
	}
	for _, f := range files {
		number, name, _ := strings.Cut(strings.TrimSuffix(f.Name(), ".sql"), "_")
		n, err := strconv.Atoi(number)
		text, err2 := migrationFiles.ReadFile("migrations/" + f.Name())
		if err != nil || err2 != nil || n != len(all)+1 {
			panic("sqlite: migrations are numbered from 0001 without a gap: " + f.Name())
		}
		all = append(all, queue.Migration{N: n, Name: name, SQL: string(text)})
	}
	return all
}()

// migrate brings the schema up to date, each step in a transaction of its own. Several processes may
// do it at once. It refuses a schema with a step that this program does not know.
func migrate(ctx context.Context, conn *sql.Conn, path string, now func() time.Time) error {
	// Mostly there is nothing to do: then nobody's write lock is waited for.
	var have int
	if err := conn.QueryRowContext(ctx, "SELECT coalesce(max(n), 0) FROM twice_migration").Scan(&have); err == nil && have == len(steps) {
		return nil
	}
	for {
		var next *queue.Migration
		if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
			return err
		}
		err := func() error {
			const table = "CREATE TABLE IF NOT EXISTS twice_migration(n INTEGER PRIMARY KEY, name TEXT NOT NULL, applied INT NOT NULL)"
			if _, err := conn.ExecContext(ctx, table); err != nil {
				return err
			}
			var have int
			if err := conn.QueryRowContext(ctx, "SELECT coalesce(max(n), 0) FROM twice_migration").Scan(&have); err != nil {
				return err
			}
			if have > len(steps) {
				return &queue.Error{Op: "open", Subject: path, Reason: queue.ErrSchema,
					Detail: fmt.Sprintf("its schema has step %d, this program knows %d", have, len(steps)), Remedy: "run a newer version of the program"}
			}
			if have == len(steps) {
				return nil
			}
			next = &steps[have]
			if _, err := conn.ExecContext(ctx, next.SQL); err != nil {
				return fmt.Errorf("migration %d (%s): %w", next.N, next.Name, err)
			}
			_, err := conn.ExecContext(ctx, "INSERT INTO twice_migration VALUES (?, ?, ?)", next.N, next.Name, now().UnixMilli())
			return err
		}()
		if err != nil {
			_, _ = conn.ExecContext(ctx, "ROLLBACK")
			return err
		}
		if _, err := conn.ExecContext(ctx, "COMMIT"); err != nil {
			_, _ = conn.ExecContext(ctx, "ROLLBACK")
			return err
		}
		if next == nil {
			return nil
		}
	}
}

// Migrations implements [queue.Migrator]. An open engine is always up to date.
func (e *Engine) Migrations(ctx context.Context) ([]queue.Migration, error) {
	all := append([]queue.Migration(nil), steps...)
	rows, err := e.readers.QueryContext(ctx, "SELECT n, applied FROM twice_migration")
	if err != nil {
		return nil, e.failed("migrations", err)
	}
	defer rows.Close()
	for rows.Next() {
		var n int
		var applied int64
		if err := rows.Scan(&n, &applied); err != nil {
			return nil, e.failed("migrations", err)
		}
		if 0 < n && n <= len(all) {
			all[n-1].Applied = instant(applied)
		}
	}
	return all, e.failed("migrations", rows.Err())
}

// Migrate implements [queue.Migrator]: Open has done it.
func (e *Engine) Migrate(context.Context) error { return nil }

// Migrations gives the schema of this program without opening anything, for those who review it first.
func Migrations() []queue.Migration { return append([]queue.Migration(nil), steps...) }
