package ledger_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// The engine has forgotten a job that the ledger still remembers, and its id is enqueued with other content. That job is
// another one: it is a conflict, and is not told the other's result. With the same content it is told it.
func TestAJobOfOtherContentIsAConflict(t *testing.T) {
	now := time.Now().Truncate(time.Millisecond)
	clock := func() time.Time { return now }
	m, err := memory.New(memory.Config{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	s, err := sqlite.Open(filepath.Join(t.TempDir(), "q.db"), sqlite.Config{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	within := map[string]func(context.Context, func(context.Context) (string, error)) (string, error){
		"memory": func(ctx context.Context, do func(context.Context) (string, error)) (string, error) {
			tx := m.Ledger().(*memory.Ledger).Begin()
			r, err := ledger.Within(ctx, tx, "row", do)
			if err == nil {
				err = tx.Commit(ctx)
			}
			return r, err
		},
		"sqlite": func(ctx context.Context, do func(context.Context) (string, error)) (r string, err error) {
			err = s.Atomically(ctx, func(ctx context.Context, tx queue.SQL) (err error) {
				r, err = ledger.Within(ctx, s.Ledger().In(tx), "row", do)
				return err
			})
			return r, err
		},
	}
	stores := map[string]ledger.Store{"memory": m.Ledger(), "sqlite": s.Ledger()}
	for name, e := range map[string]queue.Engine{"memory": m, "sqlite": s} {
		t.Run(name, func(t *testing.T) {
			made := 0
			for _, step := range []struct {
				payload string
				want    error
			}{{"10 EUR", nil}, {"10 EUR", nil}, {"20 EUR", queue.ErrConflict}} {
				receipts, err := e.Enqueue(t.Context(), queue.Job{Queue: "q", Kind: "k", Key: "order", Payload: []byte(step.payload)})
				if err != nil || receipts[0].Status != queue.Accepted {
					t.Fatal(receipts, err)
				}
				leases, err := e.Claim(t.Context(), queue.Claim{ID: queue.NewClaimID(), Worker: "w", Queues: []string{"q"}, Kinds: []string{"k"}, Max: 1, TTL: time.Minute})
				if err != nil || len(leases) != 1 {
					t.Fatal(leases, err)
				}
				ctx := queue.WithHolding(t.Context(), &queue.Holding{Lease: leases[0]})
				do := func(context.Context) (string, error) { made++; return "for " + step.payload, nil }
				paid, err := ledger.Once(ctx, stores[name], ledger.Effect[string]{Step: "pay", Do: func(ctx context.Context, _ string) (string, error) { return do(ctx) }})
				wrote, err2 := within[name](ctx, do)
				if !errors.Is(err, step.want) || !errors.Is(err2, step.want) {
					t.Fatalf("%s: %v, %v, want %v", step.payload, err, err2, step.want)
				}
				if step.want == nil && (paid != "for 10 EUR" || wrote != "for 10 EUR") {
					t.Errorf("%s: told %q and %q", step.payload, paid, wrote)
				}
				if errs, err := e.Settle(t.Context(), queue.Settlement{Lease: leases[0], State: queue.Done, Outcome: queue.OutcomeDone}); err != nil || errs[0] != nil {
					t.Fatal(errs, err)
				}
				now = now.Add(25 * time.Hour)
				if n, err := e.(queue.Pruner).Prune(t.Context(), 10); n != 1 || err != nil {
					t.Fatal(n, err)
				}
			}
			if made != 2 {
				t.Errorf("%d effects of two steps", made)
			}
		})
	}
}
