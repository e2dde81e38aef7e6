package ledger_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/ledger/ledgertest"
	"github.com/twicehq/twice/queue"
)

// world is all that a handler of four steps changes: three remotes and a row of the application's own.
type world struct {
	*testing.T
	clock                *ledgertest.Clock
	engine               *memory.Engine
	ledger               *memory.Ledger
	job                  queue.ID
	charges, books, mail *remote
	mu                   sync.Mutex
	rows                 int
}

// newWorld holds one job, that each run of the handler is an attempt of. Under fence A the ledger shares
// the engine's lock; under fence B it stands by itself.
func newWorld(t *testing.T, fenceA bool) *world {
	w := &world{T: t, clock: ledgertest.NewClock(), charges: newRemote(true), books: newRemote(false), mail: newRemote(false)}
	var err error
	if w.engine, err = memory.New(memory.Config{Now: w.clock.Now}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.engine.Close() })
	config := memory.LedgerConfig{Now: w.clock.Now}
	if fenceA {
		config.Under = w.engine.Under
	}
	w.ledger = memory.NewLedger(config)
	receipts, err := w.engine.Enqueue(context.Background(), queue.Job{Queue: "q", Kind: "k", Key: "j"})
	if err != nil {
		t.Fatal(err)
	}
	w.job = receipts[0].ID
	return w
}

// claim gives the next lease; whoever holds the job is replaced.
func (w *world) claim() queue.Lease {
	w.Helper()
	for range 2 {
		leases, err := w.engine.Claim(context.Background(), queue.Claim{ID: queue.NewClaimID(), Worker: "w", Queues: []string{"q"}, Kinds: []string{"k"}, Max: 1, TTL: time.Minute})
		if err != nil {
			w.Fatal(err)
		}
		if len(leases) == 1 {
			return leases[0]
		}
		w.tick()
	}
	w.Fatal("nothing to claim")
	return queue.Lease{}
}

// tick lets a lease run out while the engine visibly serves.
func (w *world) tick() {
	for range 4 {
		w.clock.Advance(20 * time.Second)
		if err := w.engine.Announce(context.Background(), queue.Worker{Name: "w"}, time.Hour); err != nil {
			w.Fatal(err)
		}
	}
}

// handle is the handler. hook is called before and after each call to the store or a remote.
func (w *world) handle(ctx context.Context, hook func(op string)) error {
	store := &hooked{Store: w.ledger, before: hook, after: hook}
	at := func(op string, e ledger.Effect[string]) ledger.Effect[string] {
		do, confirm := e.Do, e.Confirm
		e.Do = func(ctx context.Context, key string) (string, error) {
			hook(op)
			defer hook(op)
			return do(ctx, key)
		}
		if confirm != nil {
			e.Confirm = func(ctx context.Context, key string) (string, bool, error) {
				hook(op)
				defer hook(op)
				return confirm(ctx, key)
			}
		}
		return e
	}
	for _, e := range []ledger.Effect[string]{at("charge", withKeys(w.charges)), at("book", askable(w.books)), at("mail", neither(w.mail))} {
		if _, err := ledger.Once(ctx, store, e); err != nil {
			return err
		}
	}
	tx := w.ledger.Begin()
	_, err := ledger.Within(ctx, tx, "row", func(context.Context) (int, error) {
		hook("row")
		tx.Change(func() { w.mu.Lock(); w.rows++; w.mu.Unlock() })
		return 1, nil
	})
	if err != nil {
		tx.Rollback()
		return err
	}
	hook("commit")
	defer hook("commit")
	return tx.Commit(ctx)
}

// errKilled is what ends an attempt at a crash point.
var errKilled = errors.New("killed")

// attempt runs the handler under a lease, without settling; a hook that panics with errKilled ends it there.
func (w *world) attempt(lease queue.Lease, hook func(op string)) (err error) {
	defer func() {
		if p := recover(); p == errKilled {
			err = errKilled
		} else if p != nil {
			panic(p)
		}
	}()
	return w.handle(queue.WithHolding(context.Background(), &queue.Holding{Lease: lease}), hook)
}

// settle ends an attempt as a worker does: sealed first where the job dies.
func (w *world) settle(lease queue.Lease, result error) {
	w.Helper()
	end := queue.Settlement{Lease: lease, State: queue.Queued, Outcome: queue.OutcomeFailed, Count: queue.CountFailure}
	switch {
	case result == nil:
		end = queue.Settlement{Lease: lease, State: queue.Done, Outcome: queue.OutcomeDone}
	case errors.Is(result, queue.ErrInDoubt):
		list, err := w.ledger.Seal(context.Background(), lease.Job.ID, lease.Token)
		if err != nil {
			w.Fatal(err)
		}
		end = queue.Settlement{Lease: lease, State: queue.Dead, Reason: queue.ReasonDoubt, Outcome: queue.OutcomeBuried, Error: result.Error(), Effects: list}
	}
	errs, err := w.engine.Settle(context.Background(), end)
	if err == nil {
		err = errs[0]
	}
	if err != nil && !errors.Is(err, queue.ErrLeaseLost) {
		w.Fatal(err)
	}
}

func nowhere(string) {}

// finish redelivers until the job is done; a doubt is answered with the truth. It gives the steps that
// were in doubt.
func (w *world) finish() (doubts []string) {
	w.Helper()
	for range 10 {
		record, err := w.engine.Job(context.Background(), w.job)
		if err != nil {
			w.Fatal(err)
		}
		switch record.State {
		case queue.Done:
			return doubts
		case queue.Dead:
			doubts = append(doubts, w.resolve()...)
		default:
			lease := w.claim()
			w.settle(lease, w.attempt(lease, nowhere))
		}
	}
	w.Fatal("the job does not end")
	return nil
}

// resolve answers every doubt as the world is.
func (w *world) resolve() (steps []string) {
	w.Helper()
	entries, err := w.ledger.Entries(context.Background(), w.job)
	if err != nil {
		w.Fatal(err)
	}
	for _, e := range entries {
		if e.State != ledger.Unknown {
			continue
		}
		steps = append(steps, e.Key.Step)
		remote := map[string]*remote{"charge": w.charges, "book": w.books, "mail": w.mail}[e.Key.Step]
		_, made := remote.counts()
		if _, err := ledger.Resolve(context.Background(), w.engine, w.ledger, queue.Actor{Name: "ann", Why: "looked"}, e.Key, made > 0, nil); err != nil {
			w.Fatal(err)
		}
	}
	if len(steps) == 0 { // recorded after all, by an attempt that was slow
		if _, err := ledger.Resolve(context.Background(), w.engine, w.ledger, queue.Actor{Name: "ann", Why: "it is known"}, ledger.Key{Job: w.job}, false, nil); err != nil {
			w.Fatal(err)
		}
	}
	return steps
}

// once fails unless the world is that of a single run.
func (w *world) once(when string) {
	w.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for name, r := range map[string]*remote{"charge": w.charges, "book": w.books, "mail": w.mail} {
		if _, made := r.counts(); made != 1 {
			w.Errorf("%s: %s was made %d times", when, name, made)
		}
	}
	if w.rows != 1 {
		w.Errorf("%s: the row was made %d times", when, w.rows)
	}
}
