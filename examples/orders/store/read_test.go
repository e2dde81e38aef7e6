package store_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/examples/orders/store"
)

// add stores rows.
func (s *shelf) add(do func(ctx context.Context, tx service.Tx) error) {
	s.Helper()
	s.ok(s.Change(s.Context(), do))
}

// Totals counts rows, and apart from them the orders that they are of: that is how a double charge shows.
func TestTotals(t *testing.T) {
	s := newShelf(t)
	if got := s.totals(); !reflect.DeepEqual(got, store.Totals{Orders: map[service.State]int{}}) {
		t.Errorf("of nothing: %+v", got)
	}
	s.add(func(ctx context.Context, tx service.Tx) error {
		return errors.Join(
			tx.AddOrder(ctx, placed("o-1")), tx.AddOrder(ctx, placed("o-2")), tx.AddOrder(ctx, placed("o-3")),
			tx.SetState(ctx, "o-3", service.Charged, ""),
			tx.AddCharge(ctx, paid("c-1", "o-3", 0)), tx.AddCharge(ctx, paid("c-2", "o-3", 1)), tx.AddCharge(ctx, paid("c-3", "o-2", 2)),
			tx.AddReceipt(ctx, service.Receipt{OrderID: "o-3", MessageID: "m-1", SentAt: at}), tx.AddReceipt(ctx, service.Receipt{OrderID: "o-3", MessageID: "m-1", SentAt: at}),
			tx.AddReport(ctx, service.Report{Due: at, Differences: []service.Difference{{Kind: service.DoubleCharge, ChargeID: "c-2"}, {Kind: service.UnknownCharge, ChargeID: "c-9"}}}))
	})
	want := store.Totals{
		Orders: map[service.State]int{service.Placed: 2, service.Charged: 1}, Charges: 3, ChargedOrders: 2,
		Receipts: 2, ReceiptedOrders: 1, Reconciliations: 1, Differences: 2,
	}
	if got := s.totals(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v; want %+v", got, want)
	}
}

// An order is read with its first charge and receipt, every field as it was stored.
func TestOrder(t *testing.T) {
	s := newShelf(t)
	first, sent := paid("c-5", "o-1", 1), service.Receipt{OrderID: "o-1", MessageID: "m-1@shop.test", SentAt: at.Add(time.Minute)}
	s.add(func(ctx context.Context, tx service.Tx) error {
		later := sent
		later.MessageID = "m-2@shop.test"
		return errors.Join(tx.AddOrder(ctx, placed("o-1")), tx.AddOrder(ctx, placed("o-2")),
			tx.AddCharge(ctx, paid("c-1", "o-1", 5)), tx.AddCharge(ctx, first), tx.AddCharge(ctx, paid("c-9", "o-1", 5)), tx.AddReceipt(ctx, sent), tx.AddReceipt(ctx, later))
	})
	want := placed("o-1")
	want.Charge, want.Receipt = &first, &sent
	if got, err := s.Order(t.Context(), "o-1"); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\n%+v\n%+v", err, got, want)
	}
	if got, err := s.Order(t.Context(), "o-2"); err != nil || !reflect.DeepEqual(got, placed("o-2")) {
		t.Errorf("%v: %+v", err, got)
	}
	for _, id := range []string{"", "o-3", "O-1", "o-1' OR 1=1 --"} {
		if _, err := s.Order(t.Context(), id); !errors.Is(err, service.ErrNotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
	// One id is one order: a second is refused by the table itself, and takes nothing with it.
	err := s.Change(t.Context(), func(ctx context.Context, tx service.Tx) error {
		return errors.Join(tx.SetState(ctx, "o-2", service.Failed, "x"), tx.AddOrder(ctx, placed("o-2")))
	})
	if got, _ := s.Order(t.Context(), "o-2"); err == nil || got.State != service.Placed {
		t.Errorf("a second order of one id: %v, and the first is %s", err, got.State)
	}
}

// Charges come by id, page by page, up to and with an instant.
func TestCharges(t *testing.T) {
	s := newShelf(t)
	s.add(func(ctx context.Context, tx service.Tx) error {
		return errors.Join(tx.AddOrder(ctx, placed("o-1")), tx.AddCharge(ctx, paid("c-3", "o-1", 1)), tx.AddCharge(ctx, paid("c-1", "o-1", 3)),
			tx.AddCharge(ctx, paid("c-2", "o-1", 2)), tx.AddCharge(ctx, paid("c-4", "o-1", 4)))
	})
	for _, c := range []struct {
		until time.Duration // after at
		after string
		limit int
		want  string
	}{
		{9 * time.Second, "", 10, "c-1 c-2 c-3 c-4"},
		{9 * time.Second, "", 2, "c-1 c-2"},
		{9 * time.Second, "c-2", 2, "c-3 c-4"},
		{9 * time.Second, "c-4", 2, ""},
		{2 * time.Second, "", 10, "c-2 c-3"},
		{2*time.Second - time.Microsecond, "", 10, "c-3"},
		{2 * time.Second, "c-2", 10, "c-3"},
		{0, "", 10, ""},
	} {
		page, err := s.Charges(t.Context(), at.Add(c.until), c.after, c.limit)
		s.ok(err)
		var ids []string
		for _, charge := range page {
			ids = append(ids, charge.ID)
		}
		if got := strings.Join(ids, " "); got != c.want {
			t.Errorf("until %s after %q, %d: %q; want %q", c.until, c.after, c.limit, got, c.want)
		}
	}
	if page, err := s.Charges(t.Context(), at.Add(time.Hour), "c-3", 1); err != nil || len(page) != 1 || page[0] != paid("c-4", "o-1", 4) {
		t.Errorf("%+v, %v", page, err)
	}
}

// A report is read as it was stored, by its instant, and there is one of each.
func TestReport(t *testing.T) {
	s := newShelf(t)
	want := service.Report{Due: at, Until: at.Add(-time.Minute), Ours: 3, Theirs: 4, Differences: []service.Difference{
		{Kind: service.DoubleCharge, OrderID: "o-1", ChargeID: "c-1", Detail: "x"}, {Kind: service.UnknownCharge, OrderID: "o-2", ChargeID: "c-2", Detail: "y"},
	}}
	add := func(ctx context.Context, tx service.Tx) error { return tx.AddReport(ctx, want) }
	s.add(add)
	if got, found, err := s.Report(t.Context(), at); !found || err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("found %v, %v: %+v", found, err, got)
	}
	if _, found, err := s.Report(t.Context(), at.Add(time.Second)); found || err != nil {
		t.Errorf("of another instant: found %v, %v", found, err)
	}
	if err := s.Change(t.Context(), add); err == nil || s.totals().Reconciliations != 1 {
		t.Errorf("a second report of one instant: %v", err)
	}
}
