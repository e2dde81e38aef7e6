package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/examples/orders/gateway"
	"github.com/twicehq/twice/examples/orders/jobs"
	"github.com/twicehq/twice/examples/orders/mailsink"
	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/examples/orders/store"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

// leases makes one lease of a job of each kind, as a claim would; due is the instant of the third.
func leases(t *testing.T, kinds *jobs.Kinds, orderID string, due time.Time) []queue.Lease {
	t.Helper()
	ctx := twice.WithRequestID(t.Context(), "req-1")
	charge, err := kinds.Charge.Job(ctx, jobs.Charge{OrderID: orderID})
	receipt, err2 := kinds.Receipt.Job(ctx, jobs.Receipt{OrderID: orderID})
	reconcile, err3 := kinds.ReconcileAt(ctx, due)
	if err := errors.Join(err, err2, err3); err != nil {
		t.Fatal(err)
	}
	var all []queue.Lease
	for _, job := range []queue.Job{charge, receipt, reconcile} {
		all = append(all, queue.Lease{Job: job, ID: queue.NewClaimID().Lease(job.ID, 1), Token: 1})
	}
	return all
}

// A processor has no services here, so whatever it did by itself would panic: it hands the attempt over, with
// the id that the job names, and gives back what it is told.
func TestProcessors_do_nothing_themselves(t *testing.T) {
	kinds := jobs.Define(jobs.Policy{})
	told := errors.New("told so")
	var seen []string
	p := &jobs.Processors{Kinds: kinds, Around: func(ctx context.Context, lease queue.Lease, orderID string, _ func(context.Context) error) error {
		h, ok := queue.HoldingFrom(ctx)
		seen = append(seen, fmt.Sprintf("%s %q %v %s", lease.Job.Kind, orderID, ok && h.Lease.Token == lease.Token, twice.RequestID(ctx)))
		return told
	}}
	for _, lease := range leases(t, kinds, "o-1", time.Now()) {
		if settled, answer := p.Deliver(t.Context(), lease); settled || answer != told {
			t.Errorf("%s: settled %v, answer %v", lease.Job.Kind, settled, answer)
		}
	}
	want := []string{`orders.charge "o-1" true req-1`, `orders.receipt "o-1" true req-1`, `orders.reconcile "" true req-1`}
	if fmt.Sprint(seen) != fmt.Sprint(want) {
		t.Errorf("seen %q; want %q", seen, want)
	}
	for name, lease := range map[string]queue.Lease{
		"another kind":      {Job: queue.Job{Kind: "orders.refund", Payload: []byte(`{"order_id":"o-1"}`)}},
		"no payload at all": {Job: queue.Job{Kind: jobs.ChargeKind}},
		"another payload":   {Job: queue.Job{Kind: jobs.ReceiptKind, Payload: []byte(`["o-1"]`)}},
	} {
		if settled, answer := p.Deliver(t.Context(), lease); settled || !errors.Is(answer, queue.ErrInvalid) {
			t.Errorf("%s: settled %v, answer %v", name, settled, answer)
		}
	}
	if len(seen) != 3 {
		t.Errorf("a job that cannot be read was handed over: %q", seen)
	}
}

// Each kind reaches its service, whose answer the worker gets as it is.
func TestProcessors_give_the_services_answer(t *testing.T) {
	engine, err := sqlite.Open(filepath.Join(t.TempDir(), "orders.db"), sqlite.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = engine.Close() }()
	db, err := store.Open(t.Context(), engine, store.Joins{Effects: engine.Ledger().In})
	if err != nil {
		t.Fatal(err)
	}
	gone, err := gateway.NewClient("http://127.0.0.1:1", nil) // nobody listens there
	if err != nil {
		t.Fatal(err)
	}
	mail, err := mailsink.NewSender(mailsink.SenderConfig{Addr: "127.0.0.1:1", From: "a@shop.test"})
	if err != nil {
		t.Fatal(err)
	}
	kinds := jobs.Define(jobs.Policy{})
	p := &jobs.Processors{
		Kinds:    kinds,
		Billing:  &service.Billing{Database: db, Ledger: engine.Ledger(), Gateway: gone, Work: kinds},
		Receipts: &service.Receipts{Database: db, Ledger: engine.Ledger(), Mailer: mail, Domain: "shop.test", Now: time.Now},
		Books:    &service.Books{Database: db, Gateway: gone, Limit: 10},
	}
	orders := &service.Orders{Database: db, Work: kinds, Now: time.Now}
	o, _, err := orders.Place(t.Context(), service.Request{Reference: "ada", Customer: "ada@customer.test", AmountCents: 1, Currency: "EUR"})
	if err != nil {
		t.Fatal(err)
	}
	held, err := engine.Claim(t.Context(), queue.Claim{ID: queue.NewClaimID(), Worker: "w", Queues: []string{jobs.PaymentsQueue}, Kinds: []string{jobs.ChargeKind}, Max: 1, TTL: time.Minute})
	if err != nil || len(held) != 1 {
		t.Fatalf("%+v %v", held, err)
	}
	placed, nothing := leases(t, kinds, o.ID, time.Now()), leases(t, kinds, "o-none", time.Now())
	for _, c := range []struct {
		lease  queue.Lease
		answer error
		buried bool
	}{
		{held[0], gateway.ErrUnavailable, false},
		{nothing[0], service.ErrNotFound, true},
		{placed[1], service.ErrState, true}, // it is not charged
		{nothing[1], service.ErrNotFound, true},
		{placed[2], gateway.ErrUnavailable, false},
	} {
		settled, answer := p.Deliver(t.Context(), c.lease)
		var buried *twice.Buried
		if settled || !errors.Is(answer, c.answer) || errors.As(answer, &buried) != c.buried {
			t.Errorf("%s of %q: settled %v, answer %v; want %v", c.lease.Job.Kind, c.lease.Job.Key, settled, answer, c.answer)
		}
	}
}

// Handle leaves no kind out.
func TestProcessors_handle_every_kind(t *testing.T) {
	e, kinds := newEngine(t), jobs.Define(jobs.Policy{})
	handled := make(chan string, 3)
	p := &jobs.Processors{Kinds: kinds, Around: func(_ context.Context, lease queue.Lease, _ string, _ func(context.Context) error) error {
		handled <- lease.Job.Kind
		return nil
	}}
	w := worker.New(e, worker.Config{Logger: slog.New(slog.DiscardHandler)})
	p.Handle(w)
	for _, lease := range leases(t, kinds, "o-1", time.Now()) {
		if _, err := e.Enqueue(t.Context(), lease.Job); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	seen := map[string]bool{}
	for len(seen) < 3 && ctx.Err() == nil {
		select {
		case kind := <-handled:
			seen[kind] = true
		case <-ctx.Done():
		}
	}
	stop()
	if err := <-ended; err != nil || len(seen) != 3 {
		t.Errorf("handled %v; the worker ended with %v", seen, err)
	}
}
