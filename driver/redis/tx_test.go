package redis

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/twicehq/twice/internal/redistest"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

func openOn(t *testing.T, server *redistest.Server, cfg Config) *Engine {
	t.Helper()
	cfg.Prefix = prefix()
	e, err := Open(t.Context(), server.URL(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

func taken(t *testing.T, e *Engine, ttl time.Duration) queue.Lease {
	t.Helper()
	leases, err := e.Claim(t.Context(), queue.Claim{ID: queue.NewClaimID(), Worker: "w", Queues: []string{"q"}, Kinds: []string{"k"}, Max: 1, TTL: ttl})
	if err != nil || len(leases) != 1 {
		t.Fatal(leases, err)
	}
	return leases[0]
}

const addOne = `if redis.call('EXISTS', KEYS[2]) == 1 then error('closed') end redis.call('INCRBY', KEYS[1], ARGV[1])`

// Jobs, a settlement and a change of the caller's own are carried out together, or none is.
func TestATransactionIsWholeOrNothing(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t, redistest.Options{})
	e := openOn(t, server, Config{})
	ctx := t.Context()
	job := func(key string) queue.Job { return queue.Job{Queue: "q", Kind: "k", Key: key} }
	if _, err := e.Enqueue(ctx, job("a")); err != nil {
		t.Fatal(err)
	}
	l := taken(t, e, time.Minute)
	account, closed := e.cfg.Prefix+":account", e.cfg.Prefix+":closed"
	run := func() error {
		return e.Atomically(ctx, func(tx *Tx) error {
			receipts, err := e.In(tx).Enqueue(ctx, job("b"), queue.Job{Queue: "other", Kind: "k", Key: "c"})
			if err != nil || receipts[0].Status != queue.Accepted || receipts[1].Status != queue.Accepted {
				t.Errorf("%+v, %v", receipts, err)
			}
			errs, err := tx.Settle(ctx, queue.Settlement{Lease: l, State: queue.Done, Outcome: queue.OutcomeDone, Next: []queue.Job{job("d")}})
			tx.Change(addOne, []string{account, closed}, "5")
			return errors.Join(err, errors.Join(errs...))
		})
	}
	state := func() (balance string, jobs int, done int64) {
		balance = server.Must("GET", account)
		d, err := e.Depths(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range d {
			jobs, done = jobs+int(q.Accepted), done+q.Done
		}
		return balance, jobs, done
	}
	server.Must("SET", closed, "1")
	if err := run(); err == nil {
		t.Error("it committed though the change failed")
	}
	if balance, jobs, done := state(); balance != "" || jobs != 1 || done != 0 {
		t.Errorf("after the failure: %q, %d jobs, %d done", balance, jobs, done)
	}
	server.Must("DEL", closed)
	if err := run(); err != nil {
		t.Error(err)
	}
	if balance, jobs, done := state(); balance != "5" || jobs != 4 || done != 1 {
		t.Errorf("after the success: %q, %d jobs, %d done", balance, jobs, done)
	}
}

// What a transaction was told must still be so when it commits.
func TestATransactionThatWasOvertakenChangesNothing(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t, redistest.Options{})
	now := time.Now()
	e := openOn(t, server, Config{Now: func() time.Time { return now }})
	ctx := t.Context()
	if _, err := e.Enqueue(ctx, queue.Job{Queue: "q", Kind: "k", Key: "a"}); err != nil {
		t.Fatal(err)
	}
	l := taken(t, e, time.Second)
	account := e.cfg.Prefix + ":account"
	overtaken(t, e, "another enqueued its job", account, func(tx *Tx) error {
		_, err := tx.Enqueue(ctx, queue.Job{Queue: "q", Kind: "k", Key: "b"})
		return err
	}, func() error {
		_, err := e.Enqueue(ctx, queue.Job{Queue: "q", Kind: "k", Key: "b", RunAt: now.Add(time.Hour)})
		return err
	}, queue.ErrUnavailable)
	overtaken(t, e, "its lease was replaced", account, func(tx *Tx) error { return tx.Hold(ctx, l) }, func() error {
		for range 3 {
			now = now.Add(500 * time.Millisecond)
			if err := e.Announce(ctx, queue.Worker{Name: "w"}, time.Hour); err != nil {
				return err
			}
		}
		l = taken(t, e, time.Hour)
		return nil
	}, queue.ErrLeaseLost)
	overtaken(t, e, "its job was cancelled", account, func(tx *Tx) error {
		errs, err := tx.Settle(ctx, queue.Settlement{Lease: l, State: queue.Done, Outcome: queue.OutcomeDone})
		return errors.Join(err, errs[0])
	}, func() error {
		errs, err := e.Cancel(ctx, queue.Actor{Name: "ada", Why: "test"}, queue.Cut{ID: l.Job.ID})
		return errors.Join(err, errs[0])
	}, queue.ErrCancelled)
	if got := server.Must("EXISTS", account); got != "0" {
		t.Error("the change was made")
	}
}

func overtaken(t *testing.T, e *Engine, what, account string, do func(*Tx) error, meanwhile func() error, want error) {
	t.Helper()
	tx := e.Begin()
	if err := do(tx); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	tx.Change(`redis.call('INCR', KEYS[1])`, []string{account})
	if err := meanwhile(); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if err := tx.Commit(context.Background()); !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}

// An effect in Redis itself is made once, however often its handler runs: its record and the change commit together.
func TestAnEffectInRedisIsMadeOnce(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t, redistest.Options{})
	e := openOn(t, server, Config{})
	if _, err := e.Enqueue(t.Context(), queue.Job{Queue: "q", Kind: "k", Key: "a"}); err != nil {
		t.Fatal(err)
	}
	l := taken(t, e, time.Minute)
	ctx := queue.WithHolding(t.Context(), &queue.Holding{Lease: l})
	account, closed := e.cfg.Prefix+":account", e.cfg.Prefix+":closed"
	credit := func() error {
		return e.Ledger().Atomically(ctx, func(tx *LedgerTx) error {
			_, err := ledger.Within(ctx, tx, "credit", func(context.Context) (int, error) {
				tx.Change(addOne, []string{account, closed}, "5")
				return 5, nil
			})
			return err
		})
	}
	server.Must("SET", closed, "1")
	if err := credit(); err == nil {
		t.Error("the change failed, and it says nothing")
	}
	server.Must("DEL", closed)
	for range 3 {
		if err := credit(); err != nil {
			t.Error(err)
		}
	}
	if got := server.Must("GET", account); got != "5" {
		t.Errorf("the account has %s", got)
	}
}
