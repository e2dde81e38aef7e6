package orders

import (
	"context"
	"time"

	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/examples/orders/store"
	"github.com/twicehq/twice/internal/open"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// Base is what the application stands on: the engine that its jobs are worked on, and the database in which
// it keeps its tables with the ledger beside them.
type Base struct {
	Engine queue.Engine
	Tables store.Engine
	Ledger interface {
		ledger.Store
		In(tx queue.SQL) ledger.Tx
	}
	// Box is the outbox beside the tables, from which jobs are forwarded to Engine; nil where both are one
	// database, and jobs commit with the data by themselves.
	Box queue.Engine
}

// On gives the base that an engine makes whose database holds the application's tables, too. It fails with
// ErrUnsupported where it cannot.
func On(engine queue.Engine) (Base, error) {
	if e, ok := queue.As[*sqlite.Engine](engine); ok {
		return Base{Engine: engine, Tables: e, Ledger: e.Ledger()}, nil
	}
	return Base{}, &queue.Error{Op: "orders", Subject: engine.Traits().Name, Reason: queue.ErrUnsupported,
		Detail: "its tables, and the ledger beside them, need a database that this engine is not", Remedy: "name one in TWICE_LEDGER, such as sqlite:orders.db"}
}

// Beside gives the base of jobs on an engine and tables elsewhere: data is the URL of an SQLite file, made where
// it is missing. Where data is empty the engine must hold the tables, too. The func closes what was opened here.
func Beside(ctx context.Context, engine queue.Engine, data string) (Base, func() error, error) {
	nothing := func() error { return nil }
	if data == "" {
		base, err := On(engine)
		return base, nothing, err
	}
	opened, err := open.Engine(ctx, data)
	if err != nil {
		return Base{}, nothing, err
	}
	tables, ok := queue.As[*sqlite.Engine](opened)
	if !ok {
		_ = opened.Close()
		return Base{}, nothing, &queue.Error{Op: "orders", Subject: open.Redacted(data), Reason: queue.ErrUnsupported, Detail: "the application keeps its tables in SQLite",
			Remedy: "name a file in TWICE_LEDGER, such as sqlite:orders.db"}
	}
	if e, ok := queue.As[*sqlite.Engine](engine); ok && e.Path() == tables.Path() {
		_ = opened.Close()
		base, err := On(engine)
		return base, nothing, err
	}
	return Base{Engine: engine, Tables: tables, Ledger: tables.LedgerApart(), Box: tables}, tables.Close, nil
}

// keepsEffectsFor is how long the ledger remembers.
func (b Base) keepsEffectsFor() time.Duration {
	if b.Box != nil {
		return b.Box.Traits().KeepFor
	}
	return b.Engine.Traits().KeepFor
}
