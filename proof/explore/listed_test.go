package explore_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/driver/redis"
	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/internal/redistest"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/proof/explore"
	"github.com/twicehq/twice/proof/explore/lives"
	"github.com/twicehq/twice/queue"
)

// inOne are engines with the ledger that they keep beside the jobs.
var inOne = []struct {
	name string
	make func(*testing.T) (explore.Engine, explore.Ledger)
}{
	{"memory", func(t *testing.T) (explore.Engine, explore.Ledger) {
		e, err := memory.New(memory.Config{})
		must(t, err)
		return e, lives.OnMemory{Ledger: e.Ledger().(*memory.Ledger)}
	}},
	{"sqlite", func(t *testing.T) (explore.Engine, explore.Ledger) {
		e, err := sqlite.Open(filepath.Join(t.TempDir(), "jobs"), sqlite.Config{Relaxed: true, Logger: quiet})
		must(t, err)
		return onSQLite{e}, ledgerOnSQLite{e.Ledger()}
	}},
	{"redis", func(t *testing.T) (explore.Engine, explore.Ledger) {
		e, err := redis.Open(t.Context(), redistest.Start(t, redistest.Options{}).URL(), redis.Config{Logger: quiet})
		must(t, err)
		return onRedis{e}, ledgerOnRedis{e.Ledger()}
	}},
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// I4 in one database: a worker says nothing of what was made, and the engine lists it, however the job dies; a cancel
// seals and lists as it does everywhere.
func TestEnginesListWhatWasMade(t *testing.T) {
	type end = func(explore.Engine, explore.Ledger, queue.Lease) ([]error, error)
	dead := func(how queue.Outcome, count queue.Counter, why queue.Reason) end {
		return func(e explore.Engine, _ explore.Ledger, l queue.Lease) ([]error, error) {
			return e.Settle(ctx, queue.Settlement{Lease: l, State: queue.Dead, Outcome: how, Count: count, Reason: why})
		}
	}
	ends := map[string]end{
		"the last failure": dead(queue.OutcomeFailed, queue.CountFailure, queue.ReasonFailures),
		"burial":           dead(queue.OutcomeBuried, queue.CountNothing, queue.ReasonBuried),
		"crashes":          dead(queue.OutcomeBuried, queue.CountNothing, queue.ReasonCrashes),
		"a cancel": func(e explore.Engine, beside explore.Ledger, l queue.Lease) ([]error, error) {
			return ledger.Cancel(ctx, e, beside, queue.Actor{Name: "ann", Why: "test"}, l.Job.ID)
		},
	}
	for _, s := range inOne {
		t.Run(s.name, func(t *testing.T) {
			e, l := s.make(t)
			defer e.Close()
			for how, end := range ends {
				_, err := e.Enqueue(ctx, queue.Job{Queue: "q", Kind: "k", Key: how})
				must(t, err)
				leases, err := e.Claim(ctx, queue.Claim{ID: queue.NewClaimID(), Worker: "w", Queues: []string{"q"}, Kinds: []string{"k"}, Max: 1, TTL: time.Minute})
				must(t, err)
				held := queue.WithHolding(context.Background(), &queue.Holding{Lease: leases[0]})
				if made, err := l.Effect(held, "one", false); err != nil || !made {
					t.Fatalf("%s: %v, %v", how, made, err)
				}
				errs, err := end(e, l, leases[0])
				must(t, err)
				must(t, errs[0])
				r, err := e.Job(ctx, leases[0].Job.ID)
				must(t, err)
				if got := fmt.Sprint(r.Effects); got != "[{one recorded}]" {
					t.Errorf("%s: it lists %s", how, got)
				}
			}
		})
	}
}
