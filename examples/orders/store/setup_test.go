package store_test

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/examples/orders/store"
)

// at is when the orders of these tests are placed.
var at = time.Date(2026, 3, 4, 5, 6, 7, 891_234_000, time.UTC)

// shelf is a database with the engine whose file it shares.
type shelf struct {
	*testing.T
	engine *sqlite.Engine
	*store.DB
}

func openEngine(t *testing.T, file string) *sqlite.Engine {
	t.Helper()
	e, err := sqlite.Open(file, sqlite.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	e := openEngine(t, filepath.Join(t.TempDir(), "orders.db"))
	db, err := store.Open(t.Context(), e, store.Joins{Effects: e.Ledger().In})
	if err != nil {
		t.Fatal(err)
	}
	return &shelf{t, e, db}
}

func (s *shelf) ok(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// totals counts the rows of the application.
func (s *shelf) totals() store.Totals {
	s.Helper()
	got, err := s.Totals(s.Context())
	s.ok(err)
	return got
}

// placed is an order of this id.
func placed(id string) service.Order {
	return service.Order{ID: id, Reference: "ref " + id, Customer: id + "@customer.test", AmountCents: 1234, Currency: "EUR", PlacedAt: at, State: service.Placed}
}

// paid is a charge of an order, made so many seconds after at.
func paid(id, order string, seconds int) service.Charge {
	return service.Charge{ID: id, OrderID: order, AmountCents: 1234, Currency: "EUR", ChargedAt: at.Add(time.Duration(seconds) * time.Second)}
}
