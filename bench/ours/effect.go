package ours

import (
	"context"
	"errors"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/bench/peer"
	"github.com/twicehq/twice/internal/loadtest"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// StartEffects works jobs whose change, ledger entry and settlement are one transaction, within the engine's own
// commits: so many jobs share an fsync.
func (s *store) StartEffects(ctx context.Context, workers int, ran func()) (func() error, error) {
	return s.Work(ctx, workers, func(ctx context.Context, job twice.Job[loadtest.Args]) error {
		if err := s.credit(ctx, job); err != nil {
			return err
		}
		ran()
		return nil
	})
}

func (s *store) credit(ctx context.Context, job twice.Job[loadtest.Args]) error {
	id, err := job.Args.Number()
	if err != nil {
		return err
	}
	err = s.engine.Atomically(ctx, func(ctx context.Context, tx queue.SQL) error {
		_, err := ledger.Within(ctx, s.engine.Ledger().In(tx), "credit", func(ctx context.Context) (bool, error) {
			_, err := tx.ExecContext(ctx, peer.Credit, peer.Account(id))
			return true, err
		})
		if err != nil {
			return err
		}
		answers, err := s.engine.In(tx).Settle(ctx, queue.Settlement{Lease: job.Lease, State: queue.Done, Outcome: queue.OutcomeDone})
		return errors.Join(append(answers, err)...)
	})
	if h, ok := queue.HoldingFrom(ctx); ok && err == nil {
		h.MarkSettled()
	}
	return err
}

// Effects implements [peer.Effecter].
func (s *store) Effects(ctx context.Context) (n int64, err error) {
	err = s.engine.DB().QueryRowContext(ctx, peer.Balances).Scan(&n)
	return n, err
}
