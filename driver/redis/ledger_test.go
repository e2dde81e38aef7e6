package redis

import (
	"context"
	"testing"

	"github.com/twicehq/twice/internal/redistest"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/ledger/ledgertest"
)

// store is the ledger with what its suite works with.
type store struct{ *Ledger }

func (s store) Transact(ctx context.Context, fn func(ledger.Tx) error) error {
	return s.Atomically(ctx, func(tx *LedgerTx) error { return fn(tx) })
}

// fenced is a ledger beside its jobs: it needs leases of that engine.
type fenced struct {
	store
	*ledgertest.Leases
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
			e := open(t, opt)
			return fenced{store{e.Ledger()}, &ledgertest.Leases{Engine: e}}
		})
	})
}
