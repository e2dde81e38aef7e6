package broken

import (
	"context"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/proof"
)

// CounterIncrement takes one from the stock: a change by a difference counts each time it is made.
var CounterIncrement = Example{
	Name:  "counter increment",
	Why:   "the transaction is whole, and nothing in it tells that it was committed before",
	Fix:   "record the effect in the transaction that makes it: ledger.Within",
	Wrong: on(counterIncrementWrong),
	Right: on(counterIncrementRight),
	Found: proof.Crash,
	Says:  []string{"made twice, not once: commit", "stock left", "9 → 8", "ledger.Within"},
	By:    []proof.Sort{proof.Crash, proof.Lost, proof.Redrive, proof.Zombie, proof.SecondCrash, proof.Duplicate, proof.Late},
}

func counterIncrementWrong(s *shop, ctx context.Context, _ twice.Job[Order]) error {
	tx := s.o.Begin()
	defer tx.Rollback()
	tx.Change(func() { s.stock.left-- })
	return tx.Commit(ctx)
}

func counterIncrementRight(s *shop, ctx context.Context, _ twice.Job[Order]) error {
	tx := s.o.Begin()
	defer tx.Rollback()
	_, err := ledger.Within(ctx, tx, "take", func(context.Context) (int, error) {
		tx.Change(func() { s.stock.left-- })
		return 1, nil
	})
	if err != nil {
		return err
	}
	return tx.Commit(ctx)
}
