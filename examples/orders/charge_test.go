package orders_test

import (
	"context"
	"errors"
	"testing"

	"github.com/twicehq/twice/examples/orders"
	"github.com/twicehq/twice/examples/orders/gateway"
	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// charges counts the gateway's charges.
func (w *world) charges() int {
	w.Helper()
	pay, err := gateway.NewClient(w.app.Config().Gateway, nil)
	w.told(err)
	n := 0
	for _, err := range pay.All(w.Context()) {
		w.told(err)
		n++
	}
	return n
}

// What a gateway can do to a call, what the job then is, and how often it charged: always once in the end.
func TestCharge_gateway_misbehaves(t *testing.T) {
	once := gateway.Aim{Next: 1}
	for name, told := range map[string]gateway.Control{
		"fails before charging":             {FailBefore: once},
		"drops the call before charging":    {FailBefore: gateway.Aim{Next: 1, Drop: true}},
		"charges, then fails":               {FailAfter: once},
		"charges, then drops the answer":    {FailAfter: gateway.Aim{Next: 1, Drop: true}},
		"charges, fails, cannot be asked":   {FailAfter: once, FailFind: once},
		"charges, fails, forgets nothing 2": {FailAfter: gateway.Aim{Next: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.told(w.gateway.Control(told))
			o := w.place("ada")
			attempts := 0
			for w.state(o.ID) == string(service.Placed) {
				if attempts++; attempts > 5 {
					t.Fatalf("not charged after %d attempts", attempts)
				}
				w.once(w.next())
				w.later()
			}
			if n := w.charges(); n != 1 || attempts < 2 {
				t.Errorf("%d charges after %d attempts; want 1 after at least 2", n, attempts)
			}
		})
	}
}

// Two workers stand inside the call of the gateway at the same moment, with the same key.
func TestCharge_two_workers_in_the_call(t *testing.T) {
	w := newWorld(t)
	w.told(w.gateway.Control(gateway.Control{HoldBefore: gateway.Aim{Next: 2}}))
	o := w.place("ada")
	a := w.next()
	answers := make(chan error, 2)
	go func() { answers <- w.deliver(t.Context(), a) }()
	w.until(func() bool { return len(w.gateway.State().Held) == 1 })
	b := w.reclaim(a)
	go func() { answers <- w.deliver(t.Context(), b) }()
	w.until(func() bool { return len(w.gateway.State().Held) == 2 })
	w.gateway.Release()
	x, y := <-answers, <-answers
	if (x == nil) == (y == nil) || !errors.Is(errors.Join(x, y), queue.ErrLeaseLost) {
		t.Errorf("they were told %v and %v; want nil and lease lost", x, y)
	}
	if n := w.charges(); n != 1 || w.state(o.ID) != string(service.Charged) {
		t.Errorf("%d charges, and the order is %s", n, w.state(o.ID))
	}
}

// A worker stops between the charge and its record, as by kill -9 or SIGSTOP, and another takes over: the
// gateway is asked, and charges once. The control charges twice. Where the first wakes, its report is refused.
func TestCharge_stopped_between_charge_and_record(t *testing.T) {
	for _, control := range []bool{false, true} {
		w := newWorld(t, func(cfg *orders.Config) { cfg.WithoutLedger = control })
		o := service.OrderID("ada") // known before the order is placed
		w.told(w.gateway.Control(gateway.Control{IgnoreKeys: control, HoldAfter: gateway.Aim{Orders: map[string]int{o: 1}}}))
		w.place("ada")
		a := w.next()
		late := make(chan error, 1)
		go func() { late <- w.deliver(t.Context(), a) }()
		w.until(func() bool { held := w.gateway.State().Held; return len(held) == 1 && held[0].Charged })
		w.once(w.reclaim(a))
		w.gateway.Release(o)
		if err := <-late; !errors.Is(err, queue.ErrLeaseLost) {
			t.Errorf("control %v: the worker that woke was told %v", control, err)
		}
		want := 1
		if control {
			want = 2
		}
		if n := w.charges(); n != want || w.state(o) != string(service.Charged) {
			t.Errorf("control %v: %d charges, and the order is %s", control, n, w.state(o))
		}
	}
}

// An order whose payment is declined fails and its job is dead; after a person has redriven it, it is paid.
func TestCharge_declined_then_redriven(t *testing.T) {
	w := newWorld(t)
	w.told(w.gateway.Control(gateway.Control{Decline: gateway.Aim{Next: 1}}))
	o := w.place("ada")
	a := w.next()
	w.once(a)
	record := w.record(a.Job.ID)
	if w.state(o.ID) != string(service.Failed) || record.State != queue.Dead || record.Reason != queue.ReasonBuried {
		t.Fatalf("the order is %s, its job %s (%s)", w.state(o.ID), record.State, record.Reason)
	}
	refused, err := w.engine.Redrive(t.Context(), queue.Actor{Name: "test", Why: "the card works now"}, a.Job.ID)
	w.told(errors.Join(append(refused, err)...))
	w.once(w.next())
	if n := w.charges(); n != 1 || w.state(o.ID) != string(service.Charged) {
		t.Errorf("%d charges, and the order is %s", n, w.state(o.ID))
	}
}

// The ledger row, the charge, the receipt's job and the settlement commit together, or none does.
func TestCharge_commits_whole(t *testing.T) {
	w := newWorld(t)
	broken := errors.New("the receipt cannot be enqueued")
	w.app.Billing.Work = noReceipts{w.app.Kinds, broken}
	o := w.place("ada")
	a := w.next()
	settled, answer := w.app.Processors.Deliver(t.Context(), a)
	if settled || !errors.Is(answer, broken) {
		t.Fatalf("settled %v, answer %v", settled, answer)
	}
	entries, err := w.engine.Ledger().Entries(t.Context(), a.Job.ID)
	w.told(err)
	if len(entries) != 1 || entries[0].Key.Step != "charge" || entries[0].State != ledger.Confirmed {
		t.Errorf("the ledger has %+v; want the charge alone", entries)
	}
	totals, err := w.app.Store.Totals(t.Context())
	w.told(err)
	if totals.Charges != 0 || w.state(o.ID) != string(service.Placed) || w.record(a.Job.ID).State != queue.Running {
		t.Errorf("half of it was kept: %+v", totals)
	}
	w.app.Billing.Work = w.app.Kinds
	settled, answer = w.app.Processors.Deliver(t.Context(), a)
	if !settled || answer != nil || w.record(a.Job.ID).State != queue.Done || w.state(o.ID) != string(service.Charged) {
		t.Errorf("settled %v, answer %v", settled, answer)
	}
	if n := w.charges(); n != 1 {
		t.Errorf("%d charges", n)
	}
}

// noReceipts fails to enqueue receipts.
type noReceipts struct {
	service.Work
	err error
}

func (n noReceipts) EnqueueReceipt(context.Context, queue.Enqueuer, string) error { return n.err }

// Redeliver, which the demo uses, runs the handlers of jobs that have ended: nothing changes with the ledger
// on; the control charges and mails again.
func TestRedeliver(t *testing.T) {
	for _, control := range []bool{false, true} {
		w := newWorld(t, func(cfg *orders.Config) { cfg.WithoutLedger = control })
		w.told(w.gateway.Control(gateway.Control{IgnoreKeys: control}))
		o := w.place("ada")
		w.drain(w.once)
		jobs, err := w.app.JobsOf(t.Context(), o.ID)
		w.told(err)
		for _, job := range jobs {
			answer, err := w.app.Redeliver(t.Context(), job)
			w.told(err)
			if !errors.Is(answer, queue.ErrLeaseLost) {
				t.Errorf("%s, delivered again after its end, was told %v", job.Kind, answer)
			}
		}
		want := 1
		if control {
			want = 2
		}
		if charges, mails := w.charges(), len(w.accepted()); charges != want || mails != want {
			t.Errorf("control %v: %d charges and %d mails; want %d of each", control, charges, mails, want)
		}
	}
}
