package orders_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/examples/orders"
	"github.com/twicehq/twice/examples/orders/api"
	"github.com/twicehq/twice/examples/orders/jobs"
	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/worker"
)

// One process runs everything: an order comes in by HTTP and goes all its way; the schedule fires; and the end
// is in order.
func TestRun_everything(t *testing.T) {
	w := newWorld(t, func(cfg *orders.Config) { cfg.ReconcileEvery = "@every 1s" })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	w.told(err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- w.app.Run(ctx, orders.Roles{API: listener, Worker: &worker.Config{}, Schedule: true})
	}()
	at := "http://" + listener.Addr().String()
	body, err := json.Marshal(order("ada"))
	w.told(err)
	posted, err := http.Post(at+"/orders", "application/json", strings.NewReader(string(body)))
	w.told(err)
	var o api.Order
	w.told(json.NewDecoder(posted.Body).Decode(&o))
	w.told(posted.Body.Close())
	if posted.StatusCode != http.StatusCreated || posted.Header.Get("Location") != "/orders/"+o.ID {
		t.Errorf("%s, %v", posted.Status, posted.Header)
	}
	w.until(func() bool { return w.state(o.ID) == string(service.ReceiptSent) })
	w.until(func() bool {
		totals, err := w.app.Store.Totals(t.Context())
		return err == nil && totals.Reconciliations > 0
	})
	live, err := http.Get(at + "/livez")
	w.told(err)
	w.told(live.Body.Close())
	if live.StatusCode != http.StatusOK {
		t.Errorf("livez: %s", live.Status)
	}
	stop()
	w.told(<-ended)
}

// Where one role fails, the others end, and its error is told.
func TestRun_one_role_fails(t *testing.T) {
	w := newWorld(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	w.told(err)
	err = w.app.Run(t.Context(), orders.Roles{API: listener, Worker: &worker.Config{Concurrency: -1}})
	if err == nil || !strings.Contains(err.Error(), "Concurrency") {
		t.Errorf("told %v", err)
	}
}

// Everything that is wrong with a configuration is told at once, and nothing is made.
func TestNew_bad_config(t *testing.T) {
	w := newWorld(t)
	base, err := orders.On(w.engine)
	w.told(err)
	_, err = orders.New(t.Context(), base, orders.Config{
		Gateway: "ftp://x", Mail: "nowhere", KeyLife: -1, Jobs: jobs.Policy{Timeout: -time.Second}, MaxCharges: -1,
		ReceiptDoubt: ledger.Doubt(9), ReconcileEvery: "whenever", Faults: []orders.Fault{{Prefix: "x", Does: "explode"}},
	})
	for _, what := range []string{"http or https", "nowhere", "KeyLife", "Timeout", "MaxCharges", "ReceiptDoubt", "whenever", "explode"} {
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%q is not told of: %v", what, err)
		}
	}
	engine, err := memory.New(memory.Config{})
	w.told(err)
	defer func() { _ = engine.Close() }()
	if _, err := orders.On(engine); err == nil || !strings.Contains(err.Error(), "sqlite") {
		t.Errorf("an engine without a database: %v", err)
	}
}

// Tables of a newer program are refused.
func TestNew_newer_tables(t *testing.T) {
	w := newWorld(t)
	_, err := w.engine.DB().ExecContext(t.Context(), "INSERT INTO orders_migration VALUES (99, 'later')")
	w.told(err)
	base, err := orders.On(w.engine)
	w.told(err)
	if _, err = orders.New(t.Context(), base, w.app.Config()); err == nil || !strings.Contains(err.Error(), "newer version") {
		t.Errorf("told %v", fmt.Sprint(err))
	}
}
