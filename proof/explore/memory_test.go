package explore_test

import (
	"context"
	"time"

	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/proof/explore"
)

// newMemory is an engine in memory. Where time is explored what hinders forgetting is the mark, so ids are known briefly.
func newMemory(b explore.Bounds) explore.Make {
	return func(now func() time.Time) (explore.Engine, error) { return memory.New(configOf(b, now)) }
}

func configOf(b explore.Bounds, now func() time.Time) memory.Config {
	if b.Instants == 0 {
		return memory.Config{Now: now, UniqueFor: time.Hour}
	}
	return memory.Config{Now: now, UniqueFor: time.Millisecond, KeepFor: explore.Remember(b.Horizon)}
}

// newLedger is a ledger in memory, apart from any engine.
func newLedger(b explore.Bounds) explore.MakeLedger {
	return func(now func() time.Time) (explore.Ledger, error) { return ledgerOf(b.Horizon, now), nil }
}

func ledgerOf(horizon int64, now func() time.Time) onMemory {
	return onMemory{memory.NewLedger(memory.LedgerConfig{Now: now, KeepFor: explore.Remember(horizon)})}
}

type onMemory struct{ *memory.Ledger }

func (l onMemory) Close() error { return nil }

func (l onMemory) Effect(ctx context.Context, step string, dry bool) (made bool, err error) {
	tx := l.Begin()
	_, err = ledger.Within(ctx, tx, step, func(context.Context) (int, error) {
		tx.Change(func() { made = true })
		return 1, nil
	})
	if err != nil || dry {
		tx.Rollback()
		return false, err
	}
	err = tx.Commit(ctx)
	return made, err
}
