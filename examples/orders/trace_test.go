package orders_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twicehq/twice/examples/orders/gateway"
	"github.com/twicehq/twice/examples/orders/jobs"
	"github.com/twicehq/twice/examples/orders/mailsink"
	"github.com/twicehq/twice/worker"
)

// work runs a worker until the test has seen what it waits for, then drains it. seen is called by one
// goroutine at a time.
func (w *world) work(cfg worker.Config, seen func(worker.Event) bool) {
	w.Helper()
	ctx, stop := context.WithTimeout(w.Context(), 30*time.Second)
	defer stop()
	done := make(chan struct{}, 1)
	var mu sync.Mutex
	cfg.Observers = append(cfg.Observers, worker.ObserverFunc(func(_ context.Context, e worker.Event) {
		mu.Lock()
		defer mu.Unlock()
		if seen(e) {
			select {
			case done <- struct{}{}:
			default:
			}
		}
	}))
	ended := make(chan error, 1)
	go func() { ended <- w.app.Worker(cfg).Run(ctx) }()
	select {
	case <-done:
	case <-ctx.Done():
		w.Error("what was waited for did not happen")
	}
	stop()
	w.told(<-ended)
}

// settledOf waits for the settlement of a kind's attempt that ended well.
func settledOf(kind string) func(worker.Event) bool {
	return func(e worker.Event) bool {
		return e.What == worker.Settled && e.Lease.Job.Kind == kind && (e.Settlement == nil || e.Settlement.State.Ended())
	}
}

// One request's id is on every line about it: the API's, and those of both jobs in all their attempts.
func TestLogs_follow_one_request(t *testing.T) {
	w := newWorld(t)
	w.told(w.gateway.Control(gateway.Control{FailAfter: gateway.Aim{Orders: map[string]int{orderID("ada"): 1}}}))
	w.told(w.sink.Control(mailsink.Control{FailBefore: mailsink.Aim{To: map[string]int{"ada@customer.test": 1}}}))
	const trace = "0af7651916cd43dd8448eb211c80319c"
	if status, body := w.post(order("ada"), "X-Request-Id", "req-ada", "Traceparent", "00-"+trace+"-b7ad6b7169203331-01"); status != http.StatusCreated {
		t.Fatalf("%d %s", status, body)
	}
	if status, _ := w.post(order("bob"), "X-Request-Id", "req-bob"); status != http.StatusCreated {
		t.Fatal(status)
	}
	w.work(worker.Config{Name: "w-1"}, func(e worker.Event) bool {
		return e.Lease != nil && e.Lease.Job.Headers["request_id"] == "req-ada" && settledOf(jobs.ReceiptKind)(e)
	})

	var attempts []string
	var api, placed int
	for _, line := range w.log.all(t) {
		id, _ := line["request_id"].(string)
		kind, _ := line["kind"].(string)
		msg := fmt.Sprint(line["msg"])
		if strings.HasPrefix(msg, "attempt") && id == "" {
			t.Errorf("a line of an attempt without request id: %v", line)
		}
		if id != "req-ada" {
			continue
		}
		if line["trace_id"] != trace {
			t.Errorf("a line without trace id: %v", line)
		}
		switch msg {
		case "request answered":
			api++
		case "order placed":
			placed++
		case "attempt ended":
			attempts = append(attempts, fmt.Sprint(kind, " ", line["attempt"], " ", line["outcome"]))
			for _, key := range []string{"job_id", "queue", "worker"} {
				if line[key] == nil {
					t.Errorf("no %s: %v", key, line)
				}
			}
		}
	}
	want := []string{"orders.charge 1 failed", "orders.charge 2 done", "orders.receipt 1 failed", "orders.receipt 2 done"}
	if api != 1 || placed != 1 || strings.Join(attempts, ", ") != strings.Join(want, ", ") {
		t.Errorf("of req-ada there are %d lines of the API, %d of the service, and attempts %q; want 1, 1 and %q", api, placed, attempts, want)
	}
}
