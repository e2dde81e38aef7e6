package orders_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/examples/orders"
	"github.com/twicehq/twice/examples/orders/jobs"
	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

// A poison order is tried as often as its cap and no more, then dead with its reason; the orders beside it
// are done. After the fix it is redriven and charged once.
func TestFault_poison_then_fixed(t *testing.T) {
	w := newWorld(t, func(cfg *orders.Config) {
		cfg.Jobs.MaxFailures = 3
		cfg.Faults = []orders.Fault{{Prefix: "poison-", Does: orders.Fails}, {Prefix: "panic-", Does: orders.Panics}}
	})
	var poison []queue.ID
	for _, reference := range []string{"poison-1", "ada", "panic-1", "bob"} {
		o := w.place(reference)
		if strings.Contains(reference, "-") {
			poison = append(poison, queue.NewID(jobs.ChargeKind, o.ID))
		}
	}
	ended := 0
	w.work(worker.Config{}, func(e worker.Event) bool {
		if e.What == worker.Settled && (e.Settlement == nil || e.Settlement.State.Ended()) {
			ended++
		}
		return ended == 6 // two charges and their receipts, two dead
	})
	for _, id := range poison {
		r := w.record(id)
		if r.State != queue.Dead || r.Reason != queue.ReasonFailures || r.Counts.Failures != 3 || !strings.Contains(r.Error, orders.ErrFault.Error()) {
			t.Errorf("the poison job is %s (%s) after %d failures: %.80s", r.State, r.Reason, r.Counts.Failures, r.Error)
		}
	}
	if w.state(orderID("ada")) != string(service.ReceiptSent) || w.state(orderID("bob")) != string(service.ReceiptSent) {
		t.Error("the orders beside were held up")
	}

	w.app.Processors.Around = nil // the fix
	refused, err := w.engine.Redrive(t.Context(), queue.Actor{Name: "test", Why: "fixed"}, poison...)
	w.told(errors.Join(append(refused, err)...))
	w.drain(w.once)
	if w.charges() != 4 || w.state(orderID("poison-1")) != string(service.ReceiptSent) {
		t.Errorf("after the fix: %d charges, and the order is %s", w.charges(), w.state(orderID("poison-1")))
	}
}

// A killer ends its worker's process, again and again, and is buried at the crash cap; the order beside it
// is done. The processes are real.
func TestFault_killer(t *testing.T) {
	w := newWorld(t)
	killer := w.place("killer-1")
	w.place("ada")
	id := queue.NewID(jobs.ChargeKind, killer.ID)
	processes := 0
	for deadline := time.Now().Add(60 * time.Second); w.record(id).State != queue.Dead; processes++ {
		if time.Now().After(deadline) {
			t.Fatalf("not buried after %d processes: %+v", processes, w.record(id))
		}
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), workerEnv+"="+strings.Join([]string{w.engine.Path(), w.app.Config().Gateway, w.app.Config().Mail, id.String()}, "|"))
		out, err := cmd.CombinedOutput()
		if err != nil && !strings.Contains(err.Error(), "killed") {
			t.Fatalf("worker process: %v\n%s", err, out)
		}
	}
	r := w.record(id)
	if r.Reason != queue.ReasonCrashes || r.Counts.Crashes != 3 || r.Counts.Failures != 0 {
		t.Errorf("the killer is dead (%s) with %+v; want 3 crashes", r.Reason, r.Counts)
	}
	w.drain(w.once) // what the processes had no time for
	if w.charges() != 1 || w.state(orderID("ada")) != string(service.ReceiptSent) {
		t.Errorf("%d charges, and the order beside it is %s", w.charges(), w.state(orderID("ada")))
	}
	if processes < 3 {
		t.Errorf("%d processes", processes)
	}
}

func TestParseFault(t *testing.T) {
	for text, want := range map[string]orders.Fault{"poison-=fail": {Prefix: "poison-", Does: orders.Fails}, "k=kill": {Prefix: "k", Does: orders.Kills}, "d=deaf": {Prefix: "d", Does: orders.Deaf}} {
		if f, err := orders.ParseFault(text); err != nil || f != want || f.String() != text {
			t.Errorf("%q gives %+v, %v", text, f, err)
		}
	}
	for _, text := range []string{"", "=fail", "x", "x=explode", "x=fail=fail"} {
		if _, err := orders.ParseFault(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}
