package orders_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/examples/orders/gateway"
	"github.com/twicehq/twice/examples/orders/jobs"
	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/worker"
)

func orderID(reference string) string { return service.OrderID(reference) }

// Every way in which the books can differ is found and recorded once, for the instant asked for.
func TestReconcile_finds_differences(t *testing.T) {
	w := newWorld(t)
	for _, reference := range []string{"equal", "mismatch", "double", "missing"} {
		w.place(reference)
	}
	w.drain(w.once)
	pay, err := gateway.NewClient(w.app.Config().Gateway, nil)
	w.told(err)
	for _, c := range []struct{ key, order string }{{"by-hand-1", "o-stranger"}, {"by-hand-2", orderID("double")}} {
		_, err := pay.Charge(t.Context(), c.key, c.order, 1234, "EUR")
		w.told(err)
	}
	db := w.engine.DB()
	_, err = db.ExecContext(t.Context(), "UPDATE charges SET amount_cents = 1 WHERE order_id = ?", orderID("mismatch"))
	w.told(err)
	_, err = db.ExecContext(t.Context(), "UPDATE charges SET id = 'ch_gone' WHERE order_id = ?", orderID("missing"))
	w.told(err)

	due := time.Now().Add(2 * time.Second)
	for range 2 { // a person asks twice for the same instant: one job, one report
		job, err := w.app.Kinds.ReconcileAt(t.Context(), due)
		w.told(err)
		_, err = w.engine.Enqueue(t.Context(), job)
		w.told(err)
		w.drain(w.once)
	}
	report, found, err := w.app.Store.Report(t.Context(), due.Truncate(time.Second))
	w.told(err)
	var got []string
	for _, d := range report.Differences {
		got = append(got, fmt.Sprint(d.Kind, " ", d.OrderID))
		if d.Detail == "" || d.ChargeID == "" {
			t.Errorf("a difference that a person cannot follow: %+v", d)
		}
	}
	want := []string{
		"amount_mismatch " + orderID("mismatch"), "double_charge " + orderID("double"),
		"missing_charge " + orderID("missing"), "unknown_charge " + orderID("missing"), "unknown_charge o-stranger",
	}
	if !found || report.Ours != 4 || report.Theirs != 6 || strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("found %v, %d ours, %d theirs\n%s\nwant\n%s", found, report.Ours, report.Theirs, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if totals, err := w.app.Store.Totals(t.Context()); err != nil || totals.Reconciliations != 1 || totals.Differences != len(want) {
		t.Errorf("%+v %v", totals, err)
	}
}

// What is younger than the time a charge takes to settle is left to the next comparison.
func TestReconcile_leaves_young_charges(t *testing.T) {
	w := newWorld(t)
	w.place("ada")
	w.drain(w.once)
	pay, err := gateway.NewClient(w.app.Config().Gateway, nil)
	w.told(err)
	_, err = pay.Charge(t.Context(), "on-its-way", "o-later", 5, "EUR")
	w.told(err)
	w.app.Books.Settling = time.Hour
	report, err := w.app.Books.Compare(t.Context(), time.Now())
	w.told(err)
	if report.Ours != 0 || report.Theirs != 0 || len(report.Differences) != 0 {
		t.Errorf("%+v", report)
	}
	w.app.Books.Settling = 0
	w.app.Books.Limit = 1
	if _, err := w.app.Books.Compare(t.Context(), time.Now().Add(time.Second)); err == nil || !strings.Contains(err.Error(), "limit") {
		t.Errorf("more charges than the limit: %v; want an error that says so", err)
	}
}

// The scheduler makes the job of each instant, and a worker does it.
func TestReconcile_on_schedule(t *testing.T) {
	w := newWorld(t)
	s := w.app.Kinds.Schedule("@every 1s")
	due := time.Unix(1_700_000_000, 0)
	job, err := s.Job(t.Context(), due)
	w.told(err)
	byHand, err := w.app.Kinds.ReconcileAt(t.Context(), due)
	w.told(err)
	if job.ID != byHand.ID {
		t.Errorf("the schedule's job is %s, the one made by hand %s", job.ID, byHand.ID)
	}
	_, err = w.engine.Enqueue(t.Context(), job)
	w.told(err)
	w.work(worker.Config{}, settledOf(jobs.ReconcileKind))
	if _, found, err := w.app.Store.Report(t.Context(), due); err != nil || !found {
		t.Errorf("there is no report: %v", err)
	}
}
