package orders_test

import (
	"errors"
	"testing"

	"github.com/twicehq/twice/examples/orders"
	"github.com/twicehq/twice/examples/orders/mailsink"
	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// charged places an order, charges it and leases its receipt.
func (w *world) charged(reference string) (orderID string, receipt queue.Lease) {
	w.Helper()
	o := w.place(reference)
	w.once(w.next())
	return o.ID, w.next()
}

// A definite "not sent" is tried again, and the mail comes once.
func TestReceipt_not_sent_then_sent(t *testing.T) {
	w := newWorld(t)
	id, a := w.charged("ada")
	w.told(w.sink.Control(mailsink.Control{FailBefore: mailsink.Aim{Next: 1}}))
	w.once(a)
	if r := w.record(a.Job.ID); r.State != queue.Queued || r.Counts.Failures != 1 {
		t.Fatalf("the job is %s with %+v", r.State, r.Counts)
	}
	w.later()
	w.once(w.next())
	if n := len(w.accepted()); n != 1 || w.state(id) != string(service.ReceiptSent) {
		t.Errorf("%d mails, and the order is %s", n, w.state(id))
	}
}

// The answer to a mail is lost, and a mail server cannot be asked: by default the job is parked for a person,
// whose word decides; declared otherwise, the mail is sent again with the same Message-ID.
func TestReceipt_in_doubt(t *testing.T) {
	lost := mailsink.Control{FailAfter: mailsink.Aim{Next: 1}}
	t.Run("park", func(t *testing.T) {
		w := newWorld(t)
		id, a := w.charged("ada")
		w.told(w.sink.Control(lost))
		w.once(a)
		w.later()
		w.once(w.next())
		if r := w.record(a.Job.ID); r.State != queue.Dead || r.Reason != queue.ReasonDoubt {
			t.Fatalf("the job is %s (%s)", r.State, r.Reason)
		}
		by := queue.Actor{Name: "test", Why: "the customer has it"}
		left, err := ledger.Resolve(t.Context(), w.engine, w.engine.Ledger(), by, ledger.Key{Job: a.Job.ID, Step: "mail"}, true, []byte(`"seen@customer.test"`))
		if w.told(err); len(left) > 0 {
			t.Fatalf("still in doubt: %v", left)
		}
		w.once(w.next())
		if n := len(w.accepted()); n != 1 || w.state(id) != string(service.ReceiptSent) {
			t.Errorf("%d mails, and the order is %s", n, w.state(id))
		}
	})
	t.Run("resend", func(t *testing.T) {
		w := newWorld(t, func(cfg *orders.Config) { cfg.ReceiptDoubt = ledger.Resend })
		id, a := w.charged("ada")
		w.told(w.sink.Control(lost))
		w.once(a)
		w.later()
		w.once(w.next())
		mails, ids := w.mails()
		if mails["ada@customer.test"] != 2 || ids != 1 || w.state(id) != string(service.ReceiptSent) {
			t.Errorf("%v mails with %d Message-IDs, and the order is %s", mails, ids, w.state(id))
		}
	})
}

// A mail that is refused for good is no use trying again.
func TestReceipt_refused(t *testing.T) {
	w := newWorld(t)
	id, a := w.charged("ada")
	w.told(w.sink.Control(mailsink.Control{Refuse: mailsink.Aim{Next: mailsink.Always}}))
	w.once(a)
	if r := w.record(a.Job.ID); r.State != queue.Dead || r.Reason != queue.ReasonBuried || w.state(id) != string(service.Charged) {
		t.Errorf("the job is %s (%s), the order %s", r.State, r.Reason, w.state(id))
	}
	settled, answer := w.app.Processors.Deliver(t.Context(), a)
	if settled || !errors.Is(answer, queue.ErrLeaseLost) {
		t.Errorf("after the end: settled %v, answer %v", settled, answer)
	}
}
