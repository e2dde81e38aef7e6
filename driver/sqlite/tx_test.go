package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/twicehq/twice/queue"
)

// inTx runs fn in a transaction of the application.
func inTx(e *Engine, fn func(tx *sql.Tx) error) error {
	tx, err := e.DB().BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := fn(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

func enqueueIn(e *Engine, tx queue.SQL, all ...queue.Job) error {
	receipts, err := e.In(tx).Enqueue(ctx, all...)
	for _, r := range receipts {
		if r.Status != queue.Accepted {
			return fmt.Errorf("%s: %w", r.Status, r.Err)
		}
	}
	return err
}

var errStop = errors.New("the application changed its mind")

// Case 9, rolled-back producer: after the rollback exactly one job exists.
func TestRolledBackProducer(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	e, other := openAt(t, path, Config{}), openAt(t, path, Config{})
	for _, commit := range []bool{false, true} {
		key := fmt.Sprint("commit ", commit)
		answer := make(chan queue.Receipt, 1)
		err := inTx(e, func(tx *sql.Tx) error {
			must(t, enqueueIn(e, tx, named(key)))
			go func() {
				got, err := other.Enqueue(ctx, named(key))
				if err != nil {
					t.Errorf("the other producer: %v", err)
					got = make([]queue.Receipt, 1)
				}
				answer <- got[0]
			}()
			select {
			case r := <-answer:
				t.Errorf("answered while the first was undecided: %s", r.Status)
				answer <- r
			case <-time.After(50 * time.Millisecond): // it waits: there is no event for that
			}
			if !commit {
				return errStop
			}
			return nil
		})
		if commit != (err == nil) {
			t.Fatal(err)
		}
		want := queue.Accepted
		if commit {
			want = queue.Duplicate
		}
		if r := <-answer; r.Status != want {
			t.Errorf("%s: the other got %s", key, r.Status)
		}
		for _, engine := range []*Engine{e, other} {
			if r, err := engine.Job(ctx, idOfKey(key)); err != nil || r.State != queue.Queued {
				t.Errorf("%s: %s, %v", key, r.State, err)
			}
			if got, err := engine.Enqueue(ctx, named(key)); err != nil || got[0].Status != queue.Duplicate {
				t.Errorf("%s again: %v, %v", key, got, err)
			}
		}
	}
	if b := balanced(t, e); b.Accepted != 2 || b.Found.Queued != 2 {
		t.Errorf("%+v", b)
	}
}

// The seqs of rows that were rolled back are given again: what the index remembers must not be theirs.
func TestRolledBackRows(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	e, other := openAt(t, path, Config{sealAt: 8}), openAt(t, path, Config{sealAt: 8})
	for i := range 30 {
		gone, kept := jobs(1000*i, 5), jobs(1000*i+500, 5)
		err := inTx(e, func(tx *sql.Tx) error {
			must(t, enqueueIn(e, tx, gone...))
			_, _ = e.Depths(ctx) // a reader catches up while rows of nobody stand in the file
			return errStop
		})
		if !errors.Is(err, errStop) {
			t.Fatal(err)
		}
		err = e.Atomically(ctx, func(ctx context.Context, tx queue.SQL) error {
			must(t, enqueueIn(e, tx, gone...))
			return errStop
		})
		if !errors.Is(err, errStop) {
			t.Fatal(err)
		}
		by := []*Engine{e, other}[i%2]
		accept(t, by, kept...)
		for _, engine := range []*Engine{e, other} {
			if got, err := engine.Enqueue(ctx, kept...); err != nil || got[4].Status != queue.Duplicate {
				t.Fatalf("round %d: %v, %v", i, got, err)
			}
		}
		accept(t, other, gone...)
		if got, err := e.Enqueue(ctx, gone...); err != nil || got[0].Status != queue.Duplicate {
			t.Fatalf("round %d: %v, %v", i, got, err)
		}
	}
	balanced(t, e)
}

// A transaction that read before it wrote, while others committed.
func TestTransactionThatReadFirst(t *testing.T) {
	t.Parallel()
	e := open(t, Config{})
	db, err := sql.Open(modernc.driver, dsn(e.Path(), "busy_timeout(1000)")) // not engine.DB(): it begins without the lock
	must(t, err)
	defer db.Close()
	tx, err := db.BeginTx(ctx, nil)
	must(t, err)
	defer func() { _ = tx.Rollback() }()
	var n int
	must(t, tx.QueryRow("SELECT count(*) FROM twice_job").Scan(&n))
	accept(t, e, named("a"))
	_, err = e.In(tx).Enqueue(ctx, named("b"))
	var known *queue.Error
	if !errors.Is(err, queue.ErrUnavailable) || !errors.As(err, &known) || known.Remedy == "" {
		t.Errorf("%v", err)
	}
	must(t, tx.Rollback())
	accept(t, e, named("b"))
}

// Producers that only use transactions of their own cost the same at any backlog, also where this process has not
// looked at the file for long.
func TestTransactionAfterManyRows(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	e, other := openAt(t, path, Config{}), openAt(t, path, Config{})
	accept(t, other, jobs(0, part(20_000, 3000))...)
	for i := range 50 {
		must(t, inTx(e, func(tx *sql.Tx) error { return enqueueIn(e, tx, jobs(100_000+i, 1)...) }))
	}
	var last int64
	must(t, e.DB().QueryRow("SELECT max(seq) FROM twice_job").Scan(&last))
	if behind := last - e.ids.lastSeq(); behind > searched+1 {
		t.Errorf("each enqueue searches %d rows one by one", behind)
	}
	if err := inTx(e, func(tx *sql.Tx) error { return enqueueIn(e, tx, jobs(7, 1)...) }); err == nil {
		t.Error("an old id was accepted again")
	}
}

func TestAtomically(t *testing.T) {
	t.Parallel()
	e := open(t, Config{})
	for _, ddl := range []string{
		"CREATE TABLE orders(id INTEGER PRIMARY KEY, total INT UNIQUE)",
		"CREATE TABLE lines(n INTEGER PRIMARY KEY, order_id INT REFERENCES orders(id))",
		"CREATE TABLE later(n INTEGER PRIMARY KEY, order_id INT REFERENCES orders(id) DEFERRABLE INITIALLY DEFERRED)",
	} {
		_, err := e.DB().Exec(ddl)
		must(t, err)
	}
	orders := func() (n int) { must(t, e.DB().QueryRow("SELECT count(*) FROM orders").Scan(&n)); return n }

	t.Run("an error rolls back what it did, and nothing else", func(t *testing.T) {
		err := e.Atomically(ctx, func(ctx context.Context, tx queue.SQL) error {
			if _, err := tx.ExecContext(ctx, "INSERT INTO orders VALUES (1, 1)"); err != nil {
				return err
			}
			must(t, enqueueIn(e, tx, named("rolled back", func(j *queue.Job) { j.Queue = "new.queue" })))
			return errStop
		})
		if err != errStop {
			t.Fatalf("its own error came back as %v", err)
		}
		if _, err := e.Job(ctx, idOfKey("rolled back")); !errors.Is(err, queue.ErrNotFound) || orders() != 0 {
			t.Errorf("job: %v, %d orders", err, orders())
		}
		accept(t, e, named("rolled back")) // with a lane that was made inside, and is gone
		balanced(t, e)
	})
	t.Run("a panic", func(t *testing.T) {
		err := e.Atomically(ctx, func(ctx context.Context, tx queue.SQL) error {
			must(t, enqueueIn(e, tx, named("panic")))
			panic("oh")
		})
		if err == nil {
			t.Error("it came back as a success")
		}
		accept(t, e, named("panic"))
	})
	t.Run("its own methods are refused inside", func(t *testing.T) {
		within(t, 10*time.Second, "a nested call", func() {
			err := e.Atomically(ctx, func(ctx context.Context, tx queue.SQL) error {
				_, err := e.Enqueue(ctx, named("nested"))
				return err
			})
			if !errors.Is(err, queue.ErrInvalid) {
				t.Errorf("%v", err)
			}
		})
	})
	t.Run("savepoints and ends are refused", func(t *testing.T) {
		for _, query := range []string{"SAVEPOINT a", " rollback;", "commit", "\tEND", ";BEGIN", "RELEASE caller", "ROLLBACK TO caller"} {
			err := e.Atomically(ctx, func(ctx context.Context, tx queue.SQL) error {
				must(t, enqueueIn(e, tx, named("savepoint")))
				_, err := tx.ExecContext(ctx, query)
				return err
			})
			if !errors.Is(err, queue.ErrInvalid) {
				t.Errorf("%q: %v", query, err)
			}
		}
		accept(t, e, named("savepoint"))
		balanced(t, e)
	})
	t.Run("a savepoint in a transaction of its own", func(t *testing.T) {
		must(t, inTx(e, func(tx *sql.Tx) error {
			for i, end := range []string{"ROLLBACK TO mine", "RELEASE mine"} {
				_, err := tx.Exec("SAVEPOINT mine")
				must(t, err)
				must(t, enqueueIn(e, tx, named(fmt.Sprint("mine ", i))))
				_, err = tx.Exec(end)
				must(t, err)
			}
			return nil
		}))
		accept(t, e, named("mine 0"))
		if got, err := e.Enqueue(ctx, named("mine 1")); err != nil || got[0].Status != queue.Duplicate {
			t.Errorf("%v, %v", got, err)
		}
		balanced(t, e)
	})
	t.Run("rows left open", func(t *testing.T) {
		for i := range 3 {
			must(t, e.Atomically(ctx, func(ctx context.Context, tx queue.SQL) error {
				rows, err := tx.QueryContext(ctx, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) SELECT i FROM n")
				if err == nil {
					rows.Next()
				}
				_ = tx.QueryRowContext(ctx, "SELECT 1 UNION SELECT 2")
				return err
			}))
			accept(t, e, named(fmt.Sprint("after open rows ", i)))
		}
		path := newPath(t)
		within(t, 20*time.Second, "close after rows were left open", func() {
			e, err := Open(path, Config{})
			must(t, err)
			must(t, e.Atomically(ctx, func(ctx context.Context, tx queue.SQL) error {
				rows, err := tx.QueryContext(ctx, "SELECT 1 UNION SELECT 2")
				if err == nil {
					rows.Next()
				}
				return err
			}))
			must(t, e.Close())
		})
	})
	t.Run("constraints of the application", func(t *testing.T) {
		exec := func(query string) error {
			return e.Atomically(ctx, func(ctx context.Context, tx queue.SQL) error { _, err := tx.ExecContext(ctx, query); return err })
		}
		must(t, exec("INSERT INTO orders VALUES (1, 1)"))
		var known *queue.Error
		if err := exec("INSERT INTO orders VALUES (2, 1)"); err == nil || errors.As(err, &known) {
			t.Errorf("a unique key that is taken: %v", err) // the application's own error, as its driver gives it
		}
		if err := exec("INSERT INTO lines VALUES (1, 99)"); err == nil {
			t.Error("foreign keys do not hold inside, though they do on DB()")
		}
		if err := exec("INSERT INTO later VALUES (1, 99)"); err == nil || errors.Is(err, queue.ErrUnknownOutcome) {
			t.Errorf("a deferred foreign key that does not hold at the commit: %v", err)
		}
		accept(t, e, named("after constraints"))
	})

	// Callers of one commit, one of whom ruins the transaction: each of the others succeeds by itself.
	for name, ruin := range map[string]string{
		"a conflict that rolls back": "INSERT OR ROLLBACK INTO orders VALUES (3, 1)",
		"a deferred key":             "INSERT INTO later VALUES (1, 99)",
		"a rollback":                 "ROLLBACK",
		"no SQL":                     "NONSENSE",
	} {
		t.Run("another's failure: "+name, func(t *testing.T) {
			entered, hold := make(chan struct{}, 8), make(chan struct{})
			var all sync.WaitGroup
			// The first holds the writer until the others wait behind it.
			all.Go(func() {
				must(t, e.Atomically(ctx, func(context.Context, queue.SQL) error { entered <- struct{}{}; <-hold; return nil }))
			})
			<-entered
			for i := range 10 {
				key := fmt.Sprint(name, " ", i)
				all.Go(func() {
					if got, err := e.Enqueue(ctx, named("plain "+key)); err != nil || got[0].Status != queue.Accepted {
						t.Errorf("a plain enqueue beside it: %v, %v", got, err)
					}
				})
				all.Go(func() {
					if err := e.Atomically(ctx, func(_ context.Context, tx queue.SQL) error { return enqueueIn(e, tx, named("inside "+key)) }); err != nil {
						t.Errorf("a transaction beside it: %v", err)
					}
				})
			}
			all.Go(func() {
				if err := e.Atomically(ctx, func(ctx context.Context, tx queue.SQL) error { _, err := tx.ExecContext(ctx, ruin); return err }); err == nil {
					t.Error("the one that failed was told a success")
				}
			})
			eventually(t, "all wait", func() bool { return len(e.w.calls) == 21 })
			close(hold)
			within(t, 20*time.Second, "the group", all.Wait)
			balanced(t, e)
		})
	}

	t.Run("Goexit", func(t *testing.T) { // as t.FailNow inside does: it ends the writer, and nobody may wait for it
		e := open(t, Config{Logger: silent})
		within(t, 20*time.Second, "a transaction that ends its goroutine", func() {
			if err := e.Atomically(ctx, func(context.Context, queue.SQL) error { runtime.Goexit(); return nil }); err == nil {
				t.Error("it was told a success")
			}
			if _, err := e.Enqueue(ctx, named("a")); !errors.Is(err, queue.ErrClosed) {
				t.Errorf("enqueue after it: %v", err)
			}
		})
	})
}

// A long transaction of the application: calls wait, with a warning, up to the busy timeout; then a typed error;
// heartbeats go on after it.
func TestLongTransaction(t *testing.T) {
	t.Parallel()
	var log lines
	e := open(t, Config{BusyTimeout: 400 * time.Millisecond, Logger: log.logger()})
	accept(t, e, named("a"))
	l := take(t, e)
	must(t, inTx(e, func(tx *sql.Tx) error {
		must(t, enqueueIn(e, tx, named("b")))
		if _, err := e.Extend(ctx, time.Minute, l); !errors.Is(err, queue.ErrUnavailable) {
			t.Errorf("extend during a long transaction: %v", err)
		}
		log.has(t, "holds up heartbeats")
		var waits sync.WaitGroup
		waits.Go(func() {
			if answers, err := e.Extend(ctx, time.Minute, l); err != nil || answers[0] != nil {
				t.Errorf("extend as it ends: %v, %v", answers, err)
			}
		})
		time.AfterFunc(100*time.Millisecond, func() { must(t, tx.Commit()) })
		waits.Wait()
		return nil
	}), sql.ErrTxDone)
	if answers, err := e.Extend(ctx, time.Minute, l); err != nil || answers[0] != nil {
		t.Errorf("extend after it: %v, %v", answers, err)
	}
	must(t, e.Atomically(ctx, func(context.Context, queue.SQL) error { time.Sleep(1100 * time.Millisecond); return nil }))
	log.has(t, "held up everybody")
}

// Calls that come as the engine is closed are answered.
func TestCloseUnderLoad(t *testing.T) {
	t.Parallel()
	for range part(40, 10) {
		e, err := Open(newPath(t), Config{})
		must(t, err)
		var all sync.WaitGroup
		ready := make(chan struct{}, 100)
		for p := range 8 {
			all.Go(func() {
				for i := 0; ; i++ {
					var err error
					switch p % 4 {
					case 0:
						_, err = e.Claim(ctx, request(1, func(c *queue.Claim) { c.Wait = time.Minute; c.Kinds = []string{"none"} }))
					case 1:
						_, err = e.Depths(ctx)
					default:
						_, err = e.Enqueue(ctx, named(fmt.Sprint(p, " ", i)))
					}
					select {
					case ready <- struct{}{}:
					default:
					}
					if err != nil {
						if !errors.Is(err, queue.ErrClosed) {
							t.Errorf("a call as the engine closes: %v", err)
						}
						return
					}
				}
			})
		}
		for range 20 {
			<-ready
		}
		within(t, 20*time.Second, "close, or a call under way", func() {
			must(t, e.Close())
			all.Wait()
		})
	}
}
