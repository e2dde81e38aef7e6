package orders_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/examples/orders"
	"github.com/twicehq/twice/examples/orders/gateway"
	"github.com/twicehq/twice/examples/orders/jobs"
	"github.com/twicehq/twice/examples/orders/mailsink"
	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/proof"
	"github.com/twicehq/twice/queue"
)

// The application's three kinds, each proved with jobs, ledger and tables in one SQLite file, the charge also with its jobs on
// another engine, in memory, and the ledger beside the tables. The gateway is the real one in this process, the mail
// server the real one on loopback. What a schedule can stand between is seen at the application's own borders: each
// transaction of its database as a whole, each call of its ledger, each request to the gateway, each mail.

var (
	kinds   = jobs.Define(jobs.Policy{})
	compare = time.Date(2026, time.January, 1, 1, 0, 0, 0, time.UTC) // after all charges
)

func TestProofOfCharge(t *testing.T) {
	t.Parallel()
	proof.Handler(t, chargeCase(within))
}

func TestProofOfChargeBeside(t *testing.T) {
	t.Parallel()
	c := chargeCase(beside)
	c.Limits.Pairs = somePairs
	proof.Handler(t, c)
}

// somePairs of each sort are explored where the charge and the receipt above have been through all of the like.
const somePairs = 30

func TestProofOfReceipt(t *testing.T) {
	t.Parallel()
	proof.Handler(t, receiptCase(within))
}

func TestProofOfReconcile(t *testing.T) {
	t.Parallel()
	proof.Handler(t, proof.Case[jobs.Reconcile, *proved]{
		World: func(o *proof.Outside) (*proved, error) {
			w, err := newProved(o, within)
			return w, errors.Join(err, w.place(), w.charge(), w.stray())
		},
		Limits: proof.Limits{Pairs: somePairs},
		Kind:   kinds.Reconcile, Args: jobs.Reconcile{Due: compare}, Observe: (*proved).look,
		Handle: func(w *proved, ctx context.Context, job twice.Job[jobs.Reconcile]) error {
			return w.app.Processors.Reconcile(ctx, job)
		},
	})
}

// The control: with the ledger off, and a key of its own for each attempt, both kinds that act outside must fail.
func TestProofControl(t *testing.T) {
	charge, err := proof.Run(chargeCase(ledgerOff))
	twice := func(what string) func(string) bool {
		return func(said string) bool { return strings.HasPrefix(said, "made twice, not once: "+what) }
	}
	if err != nil || charge.Safe || !slices.ContainsFunc(charge.Failure.Calls, twice("POST pay.test/charges")) {
		t.Errorf("the charge passes without its ledger, or fails for something else (%v):\n%s", err, charge)
	}
	receipt, err := proof.Run(receiptCase(ledgerOff))
	if err != nil || receipt.Safe || !slices.ContainsFunc(receipt.Failure.Calls, twice("send the mail")) {
		t.Errorf("the receipt passes without its ledger, or fails for something else (%v):\n%s", err, receipt)
	}
}

func chargeCase(where place) proof.Case[jobs.Charge, *proved] {
	return proof.Case[jobs.Charge, *proved]{
		World: func(o *proof.Outside) (*proved, error) {
			w, err := newProved(o, where)
			return w, errors.Join(err, w.place())
		},
		Kind: kinds.Charge, Args: jobs.Charge{OrderID: adasOrder}, Observe: (*proved).look, Books: (*proved).books,
		Handle: func(w *proved, ctx context.Context, job twice.Job[jobs.Charge]) error {
			return w.app.Processors.Charge(ctx, job)
		},
	}
}

func receiptCase(where place) proof.Case[jobs.Receipt, *proved] {
	return proof.Case[jobs.Receipt, *proved]{
		World: func(o *proof.Outside) (*proved, error) {
			w, err := newProved(o, where)
			return w, errors.Join(err, w.place(), w.charge())
		},
		Kind: kinds.Receipt, Args: jobs.Receipt{OrderID: adasOrder}, Observe: (*proved).look, Truth: (*proved).sent,
		Handle: func(w *proved, ctx context.Context, job twice.Job[jobs.Receipt]) error {
			return w.app.Processors.Receipt(ctx, job)
		},
	}
}

// place is where the jobs are.
type place int

const (
	within    place = iota // in the database of tables and ledger
	beside                 // on another engine
	ledgerOff              // within, and no ledger: the control
)

const customer = "ada@customer.test"

var adasOrder = service.OrderID("ada")

// proved is the application, seen by the kit.
type proved struct {
	o       *proof.Outside
	app     *orders.App
	engine  *sqlite.Engine
	gateway *gateway.Client
	sink    *mailsink.Server
}

func newProved(o *proof.Outside, where place) (*proved, error) {
	w := &proved{o: o}
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
	if where == beside {
		base = orders.Base{Engine: o.Engine(), Tables: w.engine, Ledger: w.engine.LedgerApart(), Box: w.engine}
	}
	if err != nil {
		return w, err
	}
	w.app, err = orders.New(context.Background(), base, orders.Config{
		Gateway: "http://pay.test", Mail: smtp.Addr().String(), Logger: quiet, Now: o.Now, Settling: -1, WithoutLedger: where == ledgerOff,
	})
	if err != nil {
		return w, err
	}
	forgets := o.Seen(w.app.Billing.Ledger) // where the ledger is off
	w.app.Billing.Gateway = w.gateway
	switch where {
	case beside:
		w.app.Billing.Ledger = o.Beside(base.Ledger)
	default:
		w.app.Billing.Ledger = o.Within(w.engine, base.Ledger)
	}
	if where == ledgerOff {
		w.app.Billing.Gateway, w.app.Billing.Ledger = ownKeys{w.gateway}, forgets
	}
	w.app.Receipts.Ledger = w.app.Billing.Ledger
	w.app.Books.Gateway = w.gateway
	w.app.Receipts.Mailer = seenMailer{w.app.Receipts.Mailer}
	database := seenDatabase{w.app.Store}
	w.app.Billing.Database, w.app.Receipts.Database, w.app.Books.Database = database, database, database
	return w, nil
}

// silent is a context that logs nothing: every schedule begins alike.
func silent() context.Context {
	return twice.WithLogger(context.Background(), slog.New(slog.DiscardHandler))
}

// place, charge and stray bring the world to where a job finds it: nothing of it is seen.
func (w *proved) place() error {
	_, _, err := w.app.Orders.Place(silent(), service.Request{Reference: "ada", Customer: customer, AmountCents: 1234, Currency: "EUR"})
	return err
}

func (w *proved) charge() error {
	leases, err := w.engine.Claim(context.Background(), queue.Claim{
		ID: queue.NewClaimID(), Worker: "before", Max: 1, TTL: time.Minute, Queues: []string{jobs.PaymentsQueue}, Kinds: []string{jobs.ChargeKind},
	})
	if err != nil || len(leases) != 1 {
		return fmt.Errorf("%d leases: %w", len(leases), err)
	}
	_, err = w.app.Processors.Deliver(silent(), leases[0])
	return err
}

// stray is a charge that our books know nothing of.
func (w *proved) stray() error {
	_, err := w.gateway.Charge(context.Background(), "stray", "another", 100, "EUR")
	return err
}

// look is what is outside, and what the application's tables and jobs came to.
func (w *proved) look() any {
	ctx := context.Background()
	seen := map[string]int{"mails": len(w.mails())}
	for c, err := range w.gateway.All(ctx) {
		if err != nil {
			return err.Error()
		}
		seen["charges of "+c.OrderID]++
	}
	for _, table := range []string{"charges", "receipts", "reconciliations", "differences"} {
		var n int
		if err := w.engine.DB().QueryRowContext(ctx, "SELECT count(*) FROM "+table).Scan(&n); err != nil {
			return err.Error()
		}
		seen["rows of "+table] = n
	}
	waiting, err := w.engine.List(ctx, queue.Query{State: queue.Queued})
	if err != nil {
		return err.Error()
	}
	seen["jobs left to do"] = len(waiting.Records)
	order, err := w.app.Orders.Get(ctx, adasOrder)
	if err != nil {
		return err.Error()
	}
	return map[string]any{"order": order.State, "counts": seen}
}

// books fails where our charges are not the gateway's.
func (w *proved) books() error {
	report, err := w.app.Books.Compare(context.Background(), compare)
	if err == nil && len(report.Differences) > 0 {
		err = fmt.Errorf("%+v", report.Differences)
	}
	return err
}

// sent is what a person finds at the mail server.
func (w *proved) sent(string) (bool, any) {
	for _, m := range w.mails() {
		return true, m.MessageID
	}
	return false, nil
}

func (w *proved) mails() []mailsink.Mail {
	answer := httptest.NewRecorder()
	w.sink.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/mails?to="+customer, nil))
	var page mailsink.Page
	if err := json.Unmarshal(answer.Body.Bytes(), &page); err != nil {
		panic(err)
	}
	return page.Mails
}

// seenDatabase is the application's database as the kit sees it: each transaction is one call.
type seenDatabase struct{ service.Database }

func (d seenDatabase) Order(ctx context.Context, id string) (o service.Order, err error) {
	err = proof.Read(ctx, "read the order", func() error { o, err = d.Database.Order(ctx, id); return err })
	return o, err
}

func (d seenDatabase) Charges(ctx context.Context, until time.Time, after string, limit int) (all []service.Charge, err error) {
	err = proof.Read(ctx, "read our charges", func() error { all, err = d.Database.Charges(ctx, until, after, limit); return err })
	return all, err
}

func (d seenDatabase) Change(ctx context.Context, do func(context.Context, service.Tx) error) error {
	return proof.Call(ctx, "change our tables", func() error { return d.Database.Change(ctx, do) })
}

func (d seenDatabase) Finish(ctx context.Context, do func(context.Context, service.Tx) error) error {
	return proof.Call(ctx, "the last transaction", func() error { return d.Database.Finish(ctx, do) })
}

// seenMailer is the mail server as the kit sees it.
type seenMailer struct{ service.Mailer }

func (m seenMailer) Send(ctx context.Context, l mailsink.Letter) error {
	return proof.Call(ctx, "send the mail", func() error { return m.Mailer.Send(ctx, l) })
}

// ownKeys asks under a key of its own each time.
type ownKeys struct{ service.Gateway }

func (g ownKeys) Charge(ctx context.Context, _, orderID string, amountCents int64, currency string) (gateway.Charge, error) {
	return g.Gateway.Charge(ctx, rand.Text(), orderID, amountCents, currency)
}
