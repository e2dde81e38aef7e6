package proved

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/examples/orders"
	"github.com/twicehq/twice/examples/orders/gateway"
	"github.com/twicehq/twice/examples/orders/jobs"
	"github.com/twicehq/twice/examples/orders/mailsink"
	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/outbox"
	"github.com/twicehq/twice/proof"
	"github.com/twicehq/twice/queue"
)

const customer = "ada@customer.test"

var adasOrder = service.OrderID("ada")

// World is the application, seen by the kit.
type World struct {
	o       *proof.Outside
	app     *orders.App
	engine  *sqlite.Engine
	gateway *gateway.Client
	sink    *mailsink.Server
	base    orders.Base
}

func newWorld(o *proof.Outside, where Place) (*World, error) {
	w := &World{o: o}
	quiet := slog.New(slog.DiscardHandler)
	dir, err := os.MkdirTemp("", "orders")
	if err != nil {
		return w, err
	}
	o.Cleanup(func() { _ = os.RemoveAll(dir) })
	if w.engine, err = sqlite.Open(filepath.Join(dir, "orders.db"), sqlite.Config{Now: o.Now, Logger: quiet, Relaxed: true}); err != nil {
		return w, err
	}
	o.Cleanup(func() { _ = w.engine.Close() })
	pay, err := gateway.New(gateway.Config{Now: o.Now})
	if err != nil {
		return w, err
	}
	o.Cleanup(func() { _ = pay.Close() })
	if w.gateway, err = gateway.NewClient("http://pay.test", o.Client(pay)); err != nil {
		return w, err
	}
	if w.sink, err = mailsink.New(mailsink.Config{}); err != nil {
		return w, err
	}
	o.Cleanup(func() { _ = w.sink.Close() })
	smtp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return w, err
	}
	go func() { _ = w.sink.ServeSMTP(smtp) }()

	base, err := orders.On(w.engine)
	if where.beside {
		base, err = w.apart(o.Engine()), nil
	}
	if where.open != nil {
		var engine queue.Engine
		if engine, err = where.open(o.Now); err == nil {
			o.Cleanup(func() { _ = engine.Close() })
			base = w.apart(engine)
		}
	}
	if err != nil {
		return w, err
	}
	w.base = base
	w.app, err = orders.New(context.Background(), base, orders.Config{
		Gateway: "http://pay.test", Mail: smtp.Addr().String(), Logger: quiet, Now: o.Now, Settling: -1, WithoutLedger: where.ledgerOff,
	})
	if err != nil {
		return w, err
	}
	forgets := o.Seen(w.app.Billing.Ledger) // where the ledger is off
	w.app.Billing.Gateway = w.gateway
	switch {
	case where.beside:
		w.app.Billing.Ledger = o.Beside(base.Ledger)
	case where.open != nil:
		w.app.Billing.Ledger = o.Apart(base.Engine, base.Ledger)
	default:
		w.app.Billing.Ledger = o.Within(w.engine, base.Ledger)
	}
	if where.ledgerOff {
		w.app.Billing.Gateway, w.app.Billing.Ledger = ownKeys{w.gateway}, forgets
	}
	w.app.Receipts.Ledger = w.app.Billing.Ledger
	w.app.Books.Gateway = w.gateway
	w.app.Receipts.Mailer = seenMailer{w.app.Receipts.Mailer}
	database := seenDatabase{w.app.Store}
	w.app.Billing.Database, w.app.Receipts.Database, w.app.Books.Database = database, database, database
	return w, nil
}

// apart is the base of an application whose jobs are on another engine than its tables.
func (w *World) apart(engine queue.Engine) orders.Base {
	return orders.Base{Engine: engine, Tables: w.engine, Ledger: w.engine.LedgerApart(), Box: w.engine}
}

// silent is a context that logs nothing: every schedule begins alike.
func silent() context.Context {
	return twice.WithLogger(context.Background(), slog.New(slog.DiscardHandler))
}

// place, charge and stray bring the world to where a job finds it: nothing of it is seen.
func (w *World) place() error {
	_, _, err := w.app.Orders.Place(silent(), service.Request{Reference: "ada", Customer: customer, AmountCents: 1234, Currency: "EUR"})
	return err
}

func (w *World) charge() error {
	if w.base.Box != nil {
		relay := outbox.NewRelay(w.base.Box, w.base.Engine, outbox.Config{Logger: slog.New(slog.DiscardHandler)})
		if n, err := relay.Once(context.Background(), 0); err != nil || n != 1 {
			return fmt.Errorf("%d jobs of the box were forwarded, not 1: %v", n, err)
		}
	}
	leases, err := w.base.Engine.Claim(context.Background(), queue.Claim{
		ID: queue.NewClaimID(), Worker: "before", Max: 1, TTL: time.Minute, Queues: []string{jobs.PaymentsQueue}, Kinds: []string{jobs.ChargeKind},
	})
	if err != nil || len(leases) != 1 {
		return fmt.Errorf("%d leases, not 1: %v", len(leases), err)
	}
	_, err = w.app.Processors.Deliver(silent(), leases[0])
	return err
}

// stray is a charge that our books know nothing of.
func (w *World) stray() error {
	_, err := w.gateway.Charge(context.Background(), "stray", "another", 100, "EUR")
	return err
}
