package store_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/twicehq/twice/examples/orders/store"
	"github.com/twicehq/twice/queue"
)

// tables lists the application's own tables in a file.
func tables(t *testing.T, db *sql.DB) (names string) {
	t.Helper()
	err := db.QueryRowContext(t.Context(), `SELECT coalesce(group_concat(name, ' '), '') FROM (
		SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'twice%' AND name NOT LIKE 'sqlite%' ORDER BY name)`).Scan(&names)
	if err != nil {
		t.Fatal(err)
	}
	return names
}

const allTables = "charges differences orders orders_migration receipts reconciliations"

// Several processes may bring one file up to date at once, and again at any time: each step is made once, and
// what is stored stays.
func TestOpen_at_once_and_again(t *testing.T) {
	file := filepath.Join(t.TempDir(), "orders.db")
	var opening sync.WaitGroup
	for range 4 {
		e := openEngine(t, file)
		opening.Go(func() {
			if _, err := store.Open(t.Context(), e, store.Joins{Effects: e.Ledger().In}); err != nil {
				t.Error(err)
			}
		})
	}
	opening.Wait()
	e := openEngine(t, file)
	if _, err := e.DB().ExecContext(t.Context(), "INSERT INTO orders VALUES ('o-1', 'r', 'c@d.test', 1, 'EUR', 0, 'placed', '')"); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), e, store.Joins{Effects: e.Ledger().In})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Order(t.Context(), "o-1"); err != nil {
		t.Error(err)
	}
	var steps int
	if err := e.DB().QueryRowContext(t.Context(), "SELECT count(*) FROM orders_migration").Scan(&steps); err != nil || steps != 1 || tables(t, e.DB()) != allTables {
		t.Errorf("%d steps are recorded, %v; the tables are %q", steps, err, tables(t, e.DB()))
	}
}

// A step that fails in its middle leaves nothing behind, and can be made when what it met is gone.
func TestOpen_whole_or_not_at_all(t *testing.T) {
	e := openEngine(t, filepath.Join(t.TempDir(), "orders.db"))
	exec := func(query string) {
		t.Helper()
		if _, err := e.DB().ExecContext(t.Context(), query); err != nil {
			t.Fatal(err)
		}
	}
	exec("CREATE TABLE receipts(of TEXT)") // somebody else's
	_, err := store.Open(t.Context(), e, store.Joins{Effects: e.Ledger().In})
	if err == nil || !strings.Contains(err.Error(), "0001_orders.sql") {
		t.Errorf("told %v; want the name of the step", err)
	}
	if got := tables(t, e.DB()); got != "receipts" {
		t.Errorf("half of it was made: %q", got)
	}
	exec("DROP TABLE receipts")
	if _, err := store.Open(t.Context(), e, store.Joins{Effects: e.Ledger().In}); err != nil || tables(t, e.DB()) != allTables {
		t.Errorf("%v; the tables are %q", err, tables(t, e.DB()))
	}
}

// Tables of a newer program are refused with an error that says so, and left alone.
func TestOpen_newer(t *testing.T) {
	s := newShelf(t)
	_, err := s.engine.DB().ExecContext(t.Context(), "INSERT INTO orders_migration VALUES (2, '0002_later.sql')")
	s.ok(err)
	_, err = store.Open(t.Context(), s.engine, store.Joins{Effects: s.engine.Ledger().In})
	var told *queue.Error
	if !errors.Is(err, queue.ErrSchema) || !errors.As(err, &told) || told.Remedy == "" || !strings.Contains(told.Detail, "step 2") {
		t.Errorf("told %v", err)
	}
}
