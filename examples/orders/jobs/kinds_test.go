package jobs_test

import (
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/examples/orders/jobs"
	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/queue"
)

func newEngine(t *testing.T) *memory.Engine {
	t.Helper()
	e, err := memory.New(memory.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// A job holds the id of what it is about and nothing else: neither amounts nor addresses wait in a queue. Its
// bytes are spelled out here since jobs that wait were written by versions before this one.
func TestPayloads_hold_ids_only(t *testing.T) {
	e, kinds := newEngine(t), jobs.Define(jobs.Policy{})
	id := service.OrderID("ada")
	if err := kinds.EnqueueCharge(t.Context(), e, id); err != nil {
		t.Fatal(err)
	}
	if err := kinds.EnqueueReceipt(t.Context(), e, id); err != nil {
		t.Fatal(err)
	}
	reconcile, err := kinds.ReconcileAt(t.Context(), time.Date(2026, 3, 4, 6, 7, 8, 999, time.FixedZone("", 3600)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Enqueue(t.Context(), reconcile); err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct{ kind, key, queue, payload string }{
		{jobs.ChargeKind, id, jobs.PaymentsQueue, `{"order_id":"` + id + `"}`},
		{jobs.ReceiptKind, id, jobs.MailQueue, `{"order_id":"` + id + `"}`},
		{jobs.ReconcileKind, "orders.reconcile@2026-03-04T05:07:08Z", jobs.PaymentsQueue, `{"due":"2026-03-04T05:07:08Z"}`},
	} {
		r, err := e.Job(t.Context(), queue.NewID(want.kind, want.key))
		if err != nil || r.Job.Queue != want.queue || string(r.Job.Payload) != want.payload {
			t.Errorf("%s %s: %v: %s waits in %s; want %s in %s", want.kind, want.key, err, r.Job.Payload, r.Job.Queue, want.payload, want.queue)
		}
	}
}

// What is asked for twice is one job, whoever asks: a service again, or the schedule and a person.
func TestKinds_once_for_an_order(t *testing.T) {
	e, kinds := newEngine(t), jobs.Define(jobs.Policy{})
	for range 2 {
		for _, id := range []string{"o-1", "o-2"} {
			if err := kinds.EnqueueCharge(t.Context(), e, id); err != nil {
				t.Error(err)
			}
			if err := kinds.EnqueueReceipt(t.Context(), e, id); err != nil {
				t.Error(err)
			}
		}
	}
	due := time.Unix(1_700_000_000, 0)
	byHand, err := kinds.ReconcileAt(t.Context(), due.Add(999*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	bySchedule, err := kinds.Schedule("@every 1h").Job(t.Context(), due)
	if err != nil {
		t.Fatal(err)
	}
	receipts, err := e.Enqueue(t.Context(), byHand, bySchedule)
	if err != nil || receipts[0].Status != queue.Accepted || receipts[1].Status != queue.Duplicate {
		t.Errorf("%+v %v", receipts, err)
	}
	if page, err := e.List(t.Context(), queue.Query{}); err != nil || len(page.Records) != 5 {
		t.Errorf("%d jobs, %v; want 5", len(page.Records), err)
	}
}

// A policy reaches every kind, and one that cannot hold is refused by Check before Define panics on it.
func TestPolicy(t *testing.T) {
	for name, c := range map[string]struct {
		policy jobs.Policy
		holds  bool
	}{
		"the default":              {jobs.Policy{}, true},
		"patient":                  {jobs.Policy{Timeout: time.Hour, ReconcileTimeout: time.Hour, MaxFailures: 1, MaxCrashes: 1, BackoffBase: time.Hour, BackoffLimit: time.Hour}, true},
		"a base beyond the limit":  {jobs.Policy{BackoffBase: time.Hour}, true}, // the default limit gives way
		"a limit below the base":   {jobs.Policy{BackoffBase: time.Hour, BackoffLimit: time.Minute}, false},
		"no time":                  {jobs.Policy{Timeout: -1}, false},
		"no time for the books":    {jobs.Policy{ReconcileTimeout: -1}, false},
		"fewer than no failures":   {jobs.Policy{MaxFailures: -1}, false},
		"fewer than no crashes":    {jobs.Policy{MaxCrashes: -1}, false},
		"a retry before the first": {jobs.Policy{BackoffBase: -1}, false},
	} {
		err := c.policy.Check()
		if (err == nil) != c.holds {
			t.Errorf("%s: %v", name, err)
		}
		func() {
			defer func() {
				if panicked := recover() != nil; panicked == c.holds {
					t.Errorf("%s: Define panicked: %v", name, panicked)
				}
			}()
			jobs.Define(c.policy)
		}()
	}
	kinds := jobs.Define(jobs.Policy{Timeout: time.Second, ReconcileTimeout: time.Minute, MaxFailures: 2, MaxCrashes: 4, BackoffBase: time.Millisecond, BackoffLimit: time.Second})
	for _, r := range []twice.Rules{kinds.Charge.Rules(), kinds.Receipt.Rules(), kinds.Reconcile.Rules()} {
		timeout := time.Second
		if r.Kind == jobs.ReconcileKind {
			timeout = time.Minute
		}
		if r.Timeout != timeout || r.Caps.Failures != 2 || r.Caps.Crashes != 4 || r.BackoffBase != time.Millisecond || r.BackoffLimit != time.Second || !strings.HasPrefix(r.Kind, "orders.") {
			t.Errorf("%+v", r)
		}
	}
}
