package redis

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/twicehq/twice/internal/redistest"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/ledger/ledgertest"
	"github.com/twicehq/twice/queue"
)

// store is the ledger with what its suite works with.
type store struct{ *Ledger }

func (s store) Transact(ctx context.Context, fn func(ledger.Tx) error) error {
	return s.Atomically(ctx, func(tx *LedgerTx) error { return fn(tx) })
}

// fenced is a ledger beside its jobs: it needs leases of that engine.
type fenced struct {
	store
	mu   *sync.Mutex
	held map[queue.ID]queue.Lease
}

// Lease gives the job's lease back and claims it again. Each job has a queue of its own.
func (s fenced) Lease(ctx context.Context, job queue.Job) (queue.Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	job.Queue = job.Key
	if held, ok := s.held[job.ID]; ok {
		answers, err := s.e.Settle(ctx, queue.Settlement{Lease: held, State: queue.Queued, Outcome: queue.OutcomeInterrupted})
		if err = cmp.Or(err, answers[0]); err != nil {
			return queue.Lease{}, err
		}
	} else if _, err := s.e.Enqueue(ctx, job); err != nil {
		return queue.Lease{}, err
	}
	leases, err := s.e.Claim(ctx, queue.Claim{ID: queue.NewClaimID(), Worker: "w", Queues: []string{job.Queue}, Kinds: []string{job.Kind}, Max: 1, TTL: time.Minute})
	if err != nil || len(leases) != 1 {
		return queue.Lease{}, fmt.Errorf("claimed %d: %w", len(leases), err)
	}
	s.held[job.ID] = leases[0]
	return leases[0], nil
}

func TestLedgerConformance(t *testing.T) {
	redistest.Need(t)
	server := redistest.Start(t, redistest.Options{})
	open := func(t *testing.T, opt ledgertest.Options) *Engine {
		e, err := Open(t.Context(), server.URL(), Config{Prefix: prefix(), Now: opt.Clock.Now})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = e.Close() })
		return e
	}
	t.Run("beside the data", func(t *testing.T) {
		ledgertest.Run(t, func(t *testing.T, opt ledgertest.Options) ledger.Store {
			return store{&Ledger{e: open(t, opt)}}
		})
	})
	t.Run("beside the jobs", func(t *testing.T) {
		ledgertest.Run(t, func(t *testing.T, opt ledgertest.Options) ledger.Store {
			return fenced{store{open(t, opt).Ledger()}, &sync.Mutex{}, map[queue.ID]queue.Lease{}}
		})
	})
}
