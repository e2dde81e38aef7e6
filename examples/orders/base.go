package orders

import (
	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/examples/orders/store"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// Base is what the application stands on: an engine and its ledger in the database in which it keeps
// its tables.
type Base struct {
	Engine interface {
		queue.Engine
		store.Engine
	}
	Ledger interface {
		ledger.Store
		In(tx queue.SQL) ledger.Tx
	}
}

// On gives the base that an engine makes. It fails with ErrUnsupported where the engine is not in a
// database that can hold the application's tables.
func On(engine queue.Engine) (Base, error) {
	if e, ok := queue.As[*sqlite.Engine](engine); ok {
		return Base{Engine: e, Ledger: e.Ledger()}, nil
	}
	return Base{}, &queue.Error{Op: "orders", Subject: engine.Traits().Name, Reason: queue.ErrUnsupported,
		Detail: "the orders application keeps its tables beside its jobs", Remedy: "use sqlite:PATH"}
}
