package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/examples/orders/api"
	"github.com/twicehq/twice/examples/orders/jobs"
	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/examples/orders/store"
)

var placedAt = time.Date(2026, 3, 4, 5, 6, 7, 891_000_000, time.UTC)

// newAPI gives the API over a database of its own; live is what /livez asks.
func newAPI(t *testing.T, live error) (http.Handler, *store.DB) {
	t.Helper()
	quiet := slog.New(slog.DiscardHandler)
	engine, err := sqlite.Open(filepath.Join(t.TempDir(), "orders.db"), sqlite.Config{Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	db, err := store.Open(t.Context(), engine, store.Joins{Effects: engine.Ledger().In})
	if err != nil {
		t.Fatal(err)
	}
	orders := &service.Orders{Database: db, Work: jobs.Define(jobs.Policy{}), Now: func() time.Time { return placedAt }}
	return api.New(api.Config{Orders: orders, Live: func(context.Context) error { return live }, Logger: quiet}), db
}

func send(h http.Handler, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// Each route answers its methods and no others, in JSON.
func TestRoutes(t *testing.T) {
	well, _ := newAPI(t, nil)
	ill, _ := newAPI(t, errors.New("the claim loop does not move"))
	for _, c := range []struct {
		h            http.Handler
		method, path string
		status       int
		says         string
	}{
		{well, "GET", "/orders", 405, "use POST"}, {well, "PUT", "/orders/o-1", 405, "use GET"}, {well, "DELETE", "/livez", 405, "use GET"},
		{well, "GET", "/orders/o-1", 404, "no such order"}, {well, "HEAD", "/orders/o-1", 404, ""}, {well, "GET", "/order", 404, "nothing at this path"},
		{well, "GET", "/livez", 200, "ok"}, {ill, "GET", "/livez", 503, "claim loop does not move"},
	} {
		w := send(c.h, c.method, c.path, "")
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.says) || w.Header().Get("Content-Type") != "application/json" || (w.Header().Get("Allow") != "") != (c.status == 405) {
			t.Errorf("%s %s: %d %s %v", c.method, c.path, w.Code, w.Body, w.Header())
		}
	}
}

// An order is shown as the service knows it, as it goes its way: nothing is left out, and nothing is there early.
func TestOrder_as_shown(t *testing.T) {
	h, db := newAPI(t, nil)
	w := send(h, "POST", "/orders", `{"customer":"ada@customer.test","amount_cents":1234,"currency":"EUR"}`, "Idempotency-Key", "ada")
	id := service.OrderID("ada")
	if w.Code != 201 || w.Header().Get("Location") != "/orders/"+id {
		t.Fatalf("%d %s %v", w.Code, w.Body, w.Header())
	}
	want := map[string]any{"id": id, "reference": "ada", "state": "placed", "customer": "ada@customer.test", "amount_cents": 1234.0, "currency": "EUR", "placed_at": "2026-03-04T05:06:07.891Z"}
	shown := func() {
		t.Helper()
		var got map[string]any
		w := send(h, "GET", "/orders/"+id, "")
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 || !reflect.DeepEqual(got, want) {
			t.Errorf("%d %v\n%v; want\n%v", w.Code, err, got, want)
		}
	}
	change := func(do func(ctx context.Context, tx service.Tx) error) {
		t.Helper()
		if err := db.Change(t.Context(), do); err != nil {
			t.Fatal(err)
		}
	}
	shown()
	change(func(ctx context.Context, tx service.Tx) error {
		return tx.SetState(ctx, id, service.Failed, "the payment was declined")
	})
	want["state"], want["failure"] = "failed", "the payment was declined"
	shown()
	change(func(ctx context.Context, tx service.Tx) error {
		paid := service.Charge{ID: "ch_1", OrderID: id, AmountCents: 1234, Currency: "EUR", ChargedAt: placedAt}
		return errors.Join(tx.SetState(ctx, id, service.Charged, ""), tx.AddCharge(ctx, paid))
	})
	delete(want, "failure")
	want["state"], want["charge"] = "charged", map[string]any{"id": "ch_1", "charged_at": "2026-03-04T05:06:07.891Z"}
	shown()
	change(func(ctx context.Context, tx service.Tx) error {
		sent := service.Receipt{OrderID: id, MessageID: "m@shop.test", SentAt: placedAt}
		return errors.Join(tx.SetState(ctx, id, service.ReceiptSent, ""), tx.AddReceipt(ctx, sent))
	})
	want["state"], want["receipt"] = "receipt_sent", map[string]any{"message_id": "m@shop.test", "sent_at": "2026-03-04T05:06:07.891Z"}
	shown()
}
