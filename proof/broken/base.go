package broken

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/proof"
)

// base is a shop with an SQL database.
type base struct {
	*shop
	db *sql.DB
}

const tables = `
	CREATE TABLE charges(order_id TEXT PRIMARY KEY);
	CREATE TABLE receipts(order_id TEXT PRIMARY KEY);
	CREATE TABLE parcels(order_id TEXT);
	CREATE TABLE labels(order_id TEXT UNIQUE);`

func newBase(o *proof.Outside) (*base, error) {
	s, err := newShop(o)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "broken")
	if err != nil {
		return nil, err
	}
	o.Cleanup(func() { _ = os.RemoveAll(dir) })
	// The schedules end processes, not the machine: nothing need be synced. Whoever finds the file locked fails, and is tried again.
	db, err := o.DB("sqlite", "file:"+filepath.Join(dir, "shop.db")+"?_pragma=synchronous(0)&_pragma=journal_mode(wal)&_pragma=busy_timeout(0)")
	if err != nil {
		return nil, err
	}
	_, err = db.Exec(tables)
	return &base{s, db}, err
}

// restarted is the shop as a new process sees it. The pool is shared: it has no limit that a crash could use up.
func (b *base) restarted() *base { return &base{b.shop.restarted(), b.db} }

func (b *base) has(ctx context.Context, table, order string) (bool, error) {
	var n int
	err := b.db.QueryRowContext(ctx, "SELECT count(*) FROM "+table+" WHERE order_id = ?", order).Scan(&n)
	return n > 0, err
}

func (b *base) look() any {
	made := b.shop.look().(map[string]int)
	for _, table := range []string{"charges", "receipts", "parcels", "labels"} {
		var n int
		if err := b.db.QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil {
			return err.Error()
		}
		made["rows of "+table] = n
	}
	return made
}

// onBase proves a handler in a shop with a database.
func onBase(handle func(b *base, ctx context.Context, job twice.Job[Order]) error) Explore {
	return func(skip ...proof.Sort) (proof.Report, error) {
		return proof.Run(proof.Case[Order, *base]{
			World: newBase, Kind: Ship, Args: Order{"o-17"}, Handle: handle, Observe: (*base).look, Start: (*base).restarted, Skip: skip,
		})
	}
}
