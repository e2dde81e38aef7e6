package service_test

import (
	"log/slog"
	"net"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/examples/orders/gateway"
	"github.com/twicehq/twice/examples/orders/jobs"
	"github.com/twicehq/twice/examples/orders/mailsink"
	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/examples/orders/store"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// placedAt is when the orders of these tests are placed.
var placedAt = time.Date(2026, 3, 4, 5, 6, 7, 891_234_567, time.FixedZone("", 3600))

// desk is the services over a database of their own, with the systems outside in this process.
type desk struct {
	*testing.T
	engine   *sqlite.Engine
	store    *store.DB
	gateway  *gateway.Server
	sink     *mailsink.Server
	orders   *service.Orders
	billing  *service.Billing
	receipts *service.Receipts
	books    *service.Books
}

func newDesk(t *testing.T, bank gateway.Config) *desk {
	t.Helper()
	d := &desk{T: t}
	var err error
	d.gateway, err = gateway.New(bank)
	d.ok(err)
	web := httptest.NewServer(d.gateway)
	t.Cleanup(web.Close)
	t.Cleanup(func() { _ = d.gateway.Close() })
	d.sink, err = mailsink.New(mailsink.Config{})
	d.ok(err)
	smtp, err := net.Listen("tcp", "127.0.0.1:0")
	d.ok(err)
	go func() { _ = d.sink.ServeSMTP(smtp) }()
	t.Cleanup(func() { _ = d.sink.Close() })
	d.engine, err = sqlite.Open(filepath.Join(t.TempDir(), "orders.db"), sqlite.Config{Logger: slog.New(slog.DiscardHandler)})
	d.ok(err)
	t.Cleanup(func() { _ = d.engine.Close() })
	d.store, err = store.Open(t.Context(), d.engine, store.Joins{Effects: d.engine.Ledger().In})
	d.ok(err)
	pay, err := gateway.NewClient(web.URL, nil)
	d.ok(err)
	mail, err := mailsink.NewSender(mailsink.SenderConfig{Addr: smtp.Addr().String(), From: "receipts@shop.test"})
	d.ok(err)
	kinds := jobs.Define(jobs.Policy{})
	now := func() time.Time { return placedAt }
	d.orders = &service.Orders{Database: d.store, Work: kinds, Now: now}
	d.billing = &service.Billing{Database: d.store, Ledger: d.engine.Ledger(), Gateway: pay, Work: kinds, KeyLife: time.Hour}
	d.receipts = &service.Receipts{Database: d.store, Ledger: d.engine.Ledger(), Mailer: mail, Domain: "shop.test", Doubt: ledger.Park, Now: now}
	d.books = &service.Books{Database: d.store, Gateway: pay, Limit: 1000}
	return d
}

func (d *desk) ok(err error) {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
}

// request asks for an order in order.
func request(reference string) service.Request {
	return service.Request{Reference: reference, Customer: reference + "@customer.test", AmountCents: 1234, Currency: "EUR"}
}

func (d *desk) place(r service.Request) service.Order {
	d.Helper()
	o, _, err := d.orders.Place(d.Context(), r)
	d.ok(err)
	return o
}

func (d *desk) order(id string) service.Order {
	d.Helper()
	o, err := d.orders.Get(d.Context(), id)
	d.ok(err)
	return o
}

// attempt leases the next due job and gives it to a service as a worker's handler does.
func (d *desk) attempt(run func(*queue.Holding) error) (*queue.Holding, error) {
	d.Helper()
	leases, err := d.engine.Claim(d.Context(), queue.Claim{ID: queue.NewClaimID(), Worker: "w", Max: 1, TTL: time.Minute,
		Queues: []string{jobs.PaymentsQueue, jobs.MailQueue}, Kinds: []string{jobs.ChargeKind, jobs.ReceiptKind, jobs.ReconcileKind}})
	d.ok(err)
	if len(leases) != 1 {
		d.Fatal("no job is due")
	}
	h := &queue.Holding{Lease: leases[0]}
	return h, run(h)
}

func (d *desk) charge(h *queue.Holding) error {
	return d.billing.Charge(queue.WithHolding(d.Context(), h), h.Lease.Job.Key)
}

func (d *desk) receipt(h *queue.Holding) error {
	return d.receipts.Send(queue.WithHolding(d.Context(), h), h.Lease.Job.Key)
}
