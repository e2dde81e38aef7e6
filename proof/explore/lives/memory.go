package lives

import (
	"context"
	"time"

	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/proof/explore"
)

// Memory makes an engine in memory. Where time is explored what hinders forgetting is the mark, so ids are known briefly.
func Memory(b explore.Bounds) explore.Make {
	return func(now func() time.Time) (explore.Engine, error) { return memory.New(ConfigOf(b, now)) }
}

// ConfigOf configures an engine in memory for what is explored.
func ConfigOf(b explore.Bounds, now func() time.Time) memory.Config {
	if b.Instants == 0 {
		return memory.Config{Now: now, UniqueFor: time.Hour}
	}
	return memory.Config{Now: now, UniqueFor: time.Millisecond, KeepFor: explore.Remember(b.Horizon)}
}

// Ledger makes a ledger in memory, apart from any engine.
func Ledger(b explore.Bounds) explore.MakeLedger {
	return func(now func() time.Time) (explore.Ledger, error) { return LedgerOf(b.Horizon, now), nil }
}

// LedgerOf makes a ledger that remembers for so many instants.
func LedgerOf(horizon int64, now func() time.Time) OnMemory {
	return OnMemory{memory.NewLedger(memory.LedgerConfig{Now: now, KeepFor: explore.Remember(horizon)})}
}

// OnMemory is the ledger in memory as it is explored.
type OnMemory struct{ *memory.Ledger }

// Close does nothing.
func (l OnMemory) Close() error { return nil }

// Effect makes an effect within a transaction, or with dry only tries whether it would be made.
func (l OnMemory) Effect(ctx context.Context, step string, dry bool) (made bool, err error) {
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
