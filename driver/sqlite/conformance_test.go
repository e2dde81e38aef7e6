package sqlite

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/ledger/ledgertest"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/queue/queuetest"
)

// tested adds to the engine what the suite's rules on transactions and durability work with.
type tested struct {
	*Engine
	t   *testing.T
	opt queuetest.Options
}

func (e tested) Unwrap() queue.Engine { return e.Engine }

func (e tested) Transact(ctx context.Context, fn func(queue.Tx) error) error {
	tx, err := e.DB().BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := fn(e.In(tx)); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

func (e tested) SideBySide() bool { return false } // one writer at a time

func (e tested) Reopen() (queue.Engine, error) { // the old handle is left as it is
	again, err := Open(e.Path(), Config{Now: e.opt.Clock.Now})
	if err != nil {
		return nil, err
	}
	e.t.Cleanup(func() { _ = again.Close() })
	return tested{again, e.t, e.opt}, nil
}

func TestConformance(t *testing.T) {
	queuetest.Run(t, func(t *testing.T, opt queuetest.Options) queue.Engine {
		e, err := Open(filepath.Join(t.TempDir(), "q.db"), Config{Now: opt.Clock.Now})
		if err != nil {
			t.Fatal(err)
		}
		return tested{e, t, opt}
	})
}

// store is the ledger with what its suite works with.
type store struct{ *Ledger }

func (s store) Transact(ctx context.Context, fn func(ledger.Tx) error) error {
	return s.Atomically(ctx, func(_ context.Context, tx queue.SQL) error { return fn(s.In(tx)) })
}

// fenced is a ledger beside its jobs: it needs leases of that engine.
type fenced struct {
	store
	*ledgertest.Leases
}

func TestLedgerConformance(t *testing.T) {
	open := func(t *testing.T, opt ledgertest.Options) (*Engine, store) {
		e, err := Open(filepath.Join(t.TempDir(), "q.db"), Config{Now: opt.Clock.Now})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = e.Close() })
		return e, store{&Ledger{e: e}}
	}
	t.Run("beside the data", func(t *testing.T) {
		ledgertest.Run(t, func(t *testing.T, opt ledgertest.Options) ledger.Store {
			_, s := open(t, opt)
			return s
		})
	})
	t.Run("beside the jobs", func(t *testing.T) {
		ledgertest.Run(t, func(t *testing.T, opt ledgertest.Options) ledger.Store {
			e, s := open(t, opt)
			s.Ledger = e.Ledger()
			return fenced{s, &ledgertest.Leases{Engine: e}}
		})
	})
}
