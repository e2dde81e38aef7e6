package orders

import (
	"context"
	"errors"
	"fmt"

	"github.com/twicehq/twice/examples/orders/jobs"
	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/examples/orders/store"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/outbox"
	"github.com/twicehq/twice/queue"
)

// App is the application, wired. What a process runs of it, it says to [App.Run]; the parts may also be
// used by themselves. Safe for concurrent use.
type App struct {
	Kinds      *jobs.Kinds
	Store      *store.DB
	Orders     *service.Orders
	Billing    *service.Billing
	Receipts   *service.Receipts
	Books      *service.Books
	Processors *jobs.Processors

	base Base
	cfg  Config
}

// New wires the application and brings its tables up to date. It fails on a Config that cannot hold,
// naming every fault, on an engine that forgets effects too soon, and as the database does. The engine
// stays the caller's to close.
func New(ctx context.Context, base Base, cfg Config) (*App, error) {
	cfg, err := cfg.complete()
	pay, mail, err2 := cfg.outside()
	if err := errors.Join(err, err2); err != nil {
		return nil, fmt.Errorf("orders: configure: %w", err)
	}
	var effects ledger.Store = base.Ledger
	var inside = base.Ledger.In
	var payments service.Gateway = pay
	if cfg.WithoutLedger {
		effects, payments = forgetful{}, freshKeys{pay}
		inside = func(queue.SQL) ledger.Tx { return forgetful{} }
	}
	joins := store.Joins{Effects: inside, Enqueuer: cfg.Enqueuer}
	if base.Box != nil {
		limit := base.Engine.Traits().MaxPayload
		joins.Elsewhere = func(tx queue.Enqueuer) queue.Enqueuer { return outbox.Into(tx, limit) }
	}
	tables, err := store.Open(ctx, base.Tables, joins)
	if err != nil {
		return nil, fmt.Errorf("orders: open tables: %w", err)
	}
	a := &App{base: base, cfg: cfg, Store: tables, Kinds: jobs.Define(cfg.Jobs)}
	a.Orders = &service.Orders{Database: tables, Work: a.Kinds, Now: cfg.Now}
	a.Billing = &service.Billing{Database: tables, Ledger: effects, Gateway: payments, Work: a.Kinds, KeyLife: cfg.KeyLife}
	a.Receipts = &service.Receipts{Database: tables, Ledger: effects, Mailer: mail, Domain: domainOf(cfg.From), Doubt: cfg.ReceiptDoubt, Now: cfg.Now}
	a.Books = &service.Books{Database: tables, Gateway: pay, Settling: cfg.Settling, Limit: cfg.MaxCharges}
	a.Processors = &jobs.Processors{Kinds: a.Kinds, Billing: a.Billing, Receipts: a.Receipts, Books: a.Books}
	if err := a.remembers(base.keepsEffectsFor()); err != nil && !cfg.WithoutLedger {
		return nil, err
	}
	if cfg.WithoutLedger {
		cfg.Logger.Warn("the ledger is off: effects are made again on every attempt", "for", "demonstrations only")
	}
	if len(cfg.Faults) > 0 {
		cfg.Logger.Warn("faults are injected", "for", "demonstrations only", "faults", fmt.Sprint(cfg.Faults))
		a.Processors.Around = faults{cfg.Faults, tables}.around
	}
	return a, nil
}

// Config gives the application's configuration with its defaults filled in.
func (a *App) Config() Config { return a.cfg }
