package proof_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/twicehq/twice/proof"
)

// depot is a world in an SQL database.
type depot struct {
	o    *proof.Outside
	path string
	db   *sql.DB
}

func newDepot(dir string) func(o *proof.Outside) (*depot, error) {
	n := 0
	return func(o *proof.Outside) (*depot, error) {
		n++
		d := &depot{o: o, path: "file:" + filepath.Join(dir, strings.Repeat("x", 1+n%100)+".db") + "?_pragma=synchronous(0)&_pragma=journal_mode(wal)"}
		var err error
		if d.db, err = o.DB("sqlite", d.path); err != nil {
			return d, err
		}
		_, err = d.db.Exec("DROP TABLE IF EXISTS log; CREATE TABLE log(what TEXT); DROP TABLE IF EXISTS done; CREATE TABLE done(id TEXT PRIMARY KEY)")
		return d, err
	}
}

func (d *depot) look() any {
	var n int
	if err := d.db.QueryRow("SELECT count(*) FROM log").Scan(&n); err != nil {
		return err.Error()
	}
	return map[string]int{"log": n}
}

func depotCase(t *testing.T, handle func(*depot, context.Context, job) error) proof.Case[parcel, *depot] {
	return proof.Case[parcel, *depot]{World: newDepot(t.TempDir()), Kind: ship, Args: parcel{"p-1"}, Handle: handle, Observe: (*depot).look}
}

// within runs what the handler does in one transaction, by prepared statements and by rows that are read on.
func (d *depot) within(ctx context.Context, j job) error {
	tx, err := d.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	stmt, err := tx.PrepareContext(ctx, "INSERT INTO done(id) VALUES (?) ON CONFLICT DO NOTHING")
	if err != nil {
		return err
	}
	defer func() { _ = stmt.Close() }()
	marked, err := stmt.ExecContext(ctx, j.Args.ID)
	if err != nil {
		return err
	}
	if n, err := marked.RowsAffected(); err != nil || n == 0 {
		return err
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO log(what) VALUES (?)", "shipped"); err != nil {
		return err
	}
	return tx.Commit()
}

// A transaction is whole over a crash, a lost commit and two attempts at once; statements in one that did not commit count for nothing.
func TestSQL(t *testing.T) {
	c := depotCase(t, (*depot).within)
	c.Limits.Patience = 20 * time.Second // SQLite itself fails sooner where the file is locked
	r, err := proof.Run(c)
	if err != nil || !r.Safe {
		t.Errorf("%v\n%s", err, r)
	}
	c.Replay = "A4:crash"
	if r, err = proof.Run(c); err != nil || r.Failure != nil || strings.Count(strings.Join(r.Replayed, "\n"), "INSERT INTO log") != 3 {
		t.Errorf("%v\n%s", err, r)
	}
	t.Log(r)

	// The control: the same without its mark, and with a commit before the rest.
	c = depotCase(t, func(d *depot, ctx context.Context, j job) error {
		_, err := d.db.ExecContext(ctx, "INSERT INTO log(what) VALUES (?)", "shipped")
		return err
	})
	if r, err = proof.Run(c); err != nil || r.Safe || len(r.Failure.Calls) != 1 || !strings.Contains(r.Failure.Calls[0], "made twice, not once: SQL INSERT INTO log") {
		t.Errorf("%v\n%s", err, r)
	}
}

// A crash loses the connections of its process: a pool with a limit that processes share is used up, and the proof says
// so; with a pool for each process it passes.
func TestSQLPoolOfAProcess(t *testing.T) {
	c := depotCase(t, (*depot).within)
	c.Limits.Patience = 300 * time.Millisecond
	c.Skip = []proof.Sort{proof.Zombie, proof.Duplicate} // two writers of one file wait for each other
	c.Start = func(d *depot) *depot { d.db.SetMaxOpenConns(1); return d }
	r, err := proof.Run(c)
	if err != nil || r.Safe || !strings.Contains(r.String(), "is stuck") {
		t.Errorf("%v\n%s", err, r)
	}
	c.Limits.Patience = 20 * time.Second
	c.Start = func(d *depot) *depot {
		own, err := d.o.DB("sqlite", d.path)
		if err != nil {
			t.Error(err)
			return d
		}
		own.SetMaxOpenConns(1)
		return &depot{d.o, d.path, own}
	}
	if r, err = proof.Run(c); err != nil || !r.Safe {
		t.Errorf("%v\n%s", err, r)
	}
}
