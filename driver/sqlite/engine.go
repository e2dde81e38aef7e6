// Package sqlite is the embedded engine: jobs, leases, counts and effects in one SQLite file, beside the
// application's own tables if it likes.
//
// One goroutine writes: it commits what everybody in the process is waiting for in one transaction, and
// answers each caller after the fsync that holds its write. Any number of processes may share the file.
// A claim waits without polling: it is woken by a commit in this process, or by the file system when
// another process writes.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/twicehq/twice/queue"
)

// Engine is a queue on one SQLite file. It implements every ability of package queue but Limiter. All methods may
// be called concurrently.
type Engine struct {
	cfg     Config
	path    string
	clock   *clock
	db      *sql.DB // the application's: write transactions begin as such
	readers *sql.DB
	writing *sql.DB
	w       *writer
	ids     *index
	wake    *alarm
	claims  *claims
	pruned  quiet
	closing sync.Once
	err     error // of Close
}

var (
	_ queue.Engine                = (*Engine)(nil)
	_ queue.Transactor[queue.SQL] = (*Engine)(nil)
	_ queue.Inspector             = (*Engine)(nil)
	_ queue.Operator              = (*Engine)(nil)
	_ queue.Pauser                = (*Engine)(nil)
	_ queue.Pruner                = (*Engine)(nil)
	_ queue.Auditor               = (*Engine)(nil)
	_ queue.Presence              = (*Engine)(nil)
	_ queue.Schedules             = (*Engine)(nil)
	_ queue.Migrator              = (*Engine)(nil)
	_ queue.Exchanger             = (*Engine)(nil)
)

// pragmas of every connection. The cache is per connection, in KiB; mmap and other page sizes gained nothing.
const (
	cacheSize   = "cache_size(-32768)"
	readerCache = "cache_size(-8192)"
)

// Open opens the queue in the file at path, making the file and its tables where they are missing.
// It fails with ErrInvalid (the configuration), ErrSchema (not a database, or of a newer program),
// ErrReadOnly, ErrFull, ErrCorrupt or ErrUnavailable (locked, or the folder is missing).
func Open(path string, cfg Config) (*Engine, error) {
	cfg, err := cfg.checked()
	if err != nil {
		return nil, err
	}
	if path == "" || path == ":memory:" {
		return nil, &queue.Error{Op: "open", Subject: fmt.Sprintf("sqlite %q", path), Reason: queue.ErrInvalid,
			Detail: "it names no file", Remedy: "name a file, or use the memory engine"}
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, &queue.Error{Op: "open", Subject: path, Reason: queue.ErrInvalid, Cause: err}
	}
	e := &Engine{cfg: cfg, path: path, clock: newClock(cfg.Now), ids: newIndex(cfg), claims: newClaims()}
	if err := e.open(); err != nil {
		_ = e.Close()
		return nil, cfg.through.translated("open", path, err, false)
	}
	return e, nil
}

func (e *Engine) open() (err error) {
	busy := fmt.Sprintf("busy_timeout(%d)", e.cfg.BusyTimeout.Milliseconds())
	synchronous := "synchronous(FULL)"
	if e.cfg.Relaxed {
		synchronous = "synchronous(NORMAL)"
	}
	open := func(pragmas ...string) *sql.DB {
		if err != nil {
			return nil
		}
		var db *sql.DB
		db, err = sql.Open(e.cfg.through.driver, e.cfg.through.dsn(e.path, pragmas...))
		return db
	}
	// The busy timeout comes first: switching to WAL may have to wait.
	e.writing = open(busy, "journal_mode(WAL)", synchronous, "foreign_keys(1)", cacheSize, "wal_autocheckpoint(4000)", "journal_size_limit(67108864)", "temp_store(MEMORY)", "foreign_keys(1)")
	e.readers = open(busy, "query_only(1)", readerCache, "temp_store(MEMORY)")
	e.db = open(busy, synchronous, readerCache, "foreign_keys(1)", "_txlock=immediate")
	if err != nil {
		return err
	}
	e.writing.SetMaxOpenConns(1)
	e.readers.SetMaxOpenConns(4)
	ctx := context.Background()
	conn, err := e.writing.Conn(ctx)
	if err != nil {
		return err
	}
	if err := migrate(ctx, conn, e.path, e.cfg.Now); err != nil {
		_ = conn.Close()
		return err
	}
	if err := e.settleLog(ctx, conn); err != nil {
		_ = conn.Close()
		return err
	}
	// From here on the writer decides itself how to wait for the lock.
	if _, err := conn.ExecContext(ctx, "PRAGMA busy_timeout = 0"); err != nil {
		_ = conn.Close()
		return err
	}
	if e.wake, err = newAlarm(e.path + "-wal"); err != nil {
		_ = conn.Close()
		return err
	}
	if e.w, err = startWriter(e, conn); err != nil {
		return err
	}
	return e.firstCommit(ctx)
}

// settleLog copies what the write-ahead log holds into the database, durably. Together with the commit that follows,
// which begins the log anew where nobody else reads it, it makes what was found durable: the log may have been left
// by a process that ended after a failed fsync, and then the kernel shows commits which no later fsync of the log would
// bring to the disk, nor anything that is appended to them.
func (e *Engine) settleLog(ctx context.Context, conn *sql.Conn) error {
	for end := time.Now().Add(e.cfg.BusyTimeout); ; time.Sleep(5 * time.Millisecond) {
		var busy, frames, copied int
		if err := conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint(PASSIVE)").Scan(&busy, &frames, &copied); err != nil {
			return err
		}
		if busy == 0 || time.Now().After(end) { // busy: another process is doing it
			return nil
		}
	}
}

// firstCommit changes a page and commits it, whatever the clock says.
func (e *Engine) firstCommit(ctx context.Context) error {
	return e.write(ctx, "open", phaseOther, func(t *txn) error {
		if _, err := t.s.exec("INSERT INTO twice_tally(" + tallyColumns + ") VALUES (0, 0, 0, 0, 0, 0, 0, 0)"); err != nil {
			return err
		}
		_, err := t.s.exec("DELETE FROM twice_tally WHERE queue = 0")
		return err
	})
}

// DB gives the application a pool of connections to the same file. Its transactions begin as write
// transactions, so that they never fail half-way because others have written; keep them short.
func (e *Engine) DB() *sql.DB { return e.db }

// Path is the file's absolute path.
func (e *Engine) Path() string { return e.path }

// Traits implements [queue.Engine].
func (e *Engine) Traits() queue.Traits {
	durability := "each accepted job was fsynced: it survives kill -9 and power loss, if the disk honours fsync"
	if e.cfg.Relaxed {
		durability = "survives kill -9; the latest commits may be lost when the power fails (synchronous=NORMAL)"
	}
	return queue.Traits{
		Name: "sqlite", Durability: durability, Durable: true, UniqueFor: e.cfg.UniqueFor, KeepFor: e.cfg.KeepFor,
		MaxPayload: e.cfg.MaxPayload, MaxBatch: maxBatch, MaxTTL: 24 * time.Hour,
		RepeatsClaims: true, Fences: true, Counts: true, Dedupes: true,
	}
}

// Ping implements [queue.Engine]: it commits a write of the clock.
func (e *Engine) Ping(ctx context.Context) error {
	return e.write(ctx, "ping", phaseOther, func(t *txn) error { return t.touch(0) })
}

// Close implements [queue.Engine]: calls under way are finished, later ones get ErrClosed.
func (e *Engine) Close() error {
	e.closing.Do(func() {
		if e.w != nil {
			e.w.stop()
		}
		if e.wake != nil {
			e.wake.close()
		}
		var errs []error
		for _, db := range []*sql.DB{e.db, e.readers, e.writing} {
			if db != nil {
				errs = append(errs, db.Close())
			}
		}
		e.err = errors.Join(errs...)
	})
	return e.err
}

// failed translates an error of a read.
func (e *Engine) failed(op string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, sql.ErrConnDone) || errors.Is(err, os.ErrClosed) || err.Error() == "sql: database is closed" {
		return &queue.Error{Op: op, Subject: e.path, Reason: queue.ErrClosed}
	}
	return e.cfg.through.translated(op, e.path, err, false)
}

// read runs fn on a connection that holds nobody up, with a view of one moment.
func (e *Engine) read(ctx context.Context, op string, fn func(*txn) error) error {
	tx, err := e.readers.BeginTx(ctx, nil)
	if err != nil {
		return e.failed(op, err)
	}
	defer tx.Rollback()
	t := &txn{e: e, s: joined{ctx, tx}}
	if err := t.loadView(); err != nil {
		return e.failed(op, err)
	}
	e.clock.raise(t.engine.clock)
	t.now = e.clock.now()
	// What a read sees is committed, so the index may take it over.
	if err := e.ids.catchUp(t.s, t.engine.sealed); err != nil {
		return e.failed(op, err)
	}
	return e.failed(op, fn(t))
}
