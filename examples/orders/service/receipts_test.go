package service_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/examples/orders/gateway"
	"github.com/twicehq/twice/examples/orders/mailsink"
	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// mails gives what the mail server took.
func (d *desk) mails() []mailsink.Mail {
	d.Helper()
	answer := httptest.NewRecorder()
	d.sink.ServeHTTP(answer, httptest.NewRequestWithContext(d.Context(), http.MethodGet, "/mails", nil))
	var page mailsink.Page
	d.ok(json.Unmarshal(answer.Body.Bytes(), &page))
	return page.Mails
}

// A receipt says what was charged, cents as cents, to the customer alone, under an id of its job and step.
func TestSend_letter(t *testing.T) {
	d := newDesk(t, gateway.Config{})
	for cents, amount := range map[int64]string{1: "0.01 EUR", 5_00: "5.00 EUR", 12_05: "12.05 EUR", 100_000_00: "100000.00 EUR"} {
		before := len(d.mails())
		r := request(fmt.Sprint("order-of-", cents))
		r.AmountCents = cents
		o := d.place(r)
		_, err := d.attempt(d.charge)
		d.ok(err)
		h, err := d.attempt(d.receipt)
		d.ok(err)
		all := d.mails()
		if len(all) != before+1 {
			t.Fatalf("%d mails more; want 1", len(all)-before)
		}
		m, got := all[before], d.order(o.ID)
		id := mailsink.MessageID(ledger.Key{Job: h.Lease.Job.ID, Step: "mail"}.String(), "shop.test")
		if m.MessageID != id || len(m.To) != 1 || m.To[0] != o.Customer || !strings.Contains(m.Body, " "+amount+" ") || !strings.Contains(m.Body, got.Charge.ID) {
			t.Errorf("%d cents: %+v", cents, m)
		}
		if got.State != service.ReceiptSent || got.Receipt == nil || got.Receipt.MessageID != id || !got.Receipt.SentAt.Equal(placedAt.Truncate(time.Microsecond)) || !h.Settled() {
			t.Errorf("the order is %+v", got)
		}
	}
}

// What the mail server says, or does not say, decides what the job is told.
func TestSend_answers(t *testing.T) {
	once := mailsink.Aim{Next: 1}
	for name, c := range map[string]struct {
		told   mailsink.Control
		answer error
		buried bool
		mails  int
	}{
		"it refuses for good":  {mailsink.Control{Refuse: once}, mailsink.ErrRefused, true, 0},
		"it fails before":      {mailsink.Control{FailBefore: once}, mailsink.ErrNotSent, false, 0},
		"its answer goes lost": {mailsink.Control{FailAfter: once}, mailsink.ErrUnknown, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, gateway.Config{})
			o := d.place(request("ada"))
			_, err := d.attempt(d.charge)
			d.ok(err)
			d.ok(d.sink.Control(c.told))
			h, err := d.attempt(d.receipt)
			var buried *twice.Buried
			if !errors.Is(err, c.answer) || errors.As(err, &buried) != c.buried || h.Settled() {
				t.Errorf("answer %v, settled %v", err, h.Settled())
			}
			if got := d.order(o.ID); got.State != service.Charged || got.Receipt != nil || len(d.mails()) != c.mails {
				t.Errorf("%d mails, and the order is %+v", len(d.mails()), got)
			}
			// What the same attempt is told when it asks again: a definite no is sent, a doubt is parked.
			err = d.receipt(h)
			if doubt := c.mails > 0; errors.Is(err, queue.ErrInDoubt) != doubt || (err == nil) == doubt || len(d.mails()) != 1 {
				t.Errorf("again: %v, %d mails", err, len(d.mails()))
			}
		})
	}
}

// No receipt goes out for what was not paid.
func TestSend_unpaid(t *testing.T) {
	d := newDesk(t, gateway.Config{})
	o := d.place(request("ada"))
	var buried *twice.Buried
	if err := d.receipts.Send(t.Context(), o.ID); !errors.Is(err, service.ErrState) || !errors.As(err, &buried) {
		t.Errorf("an order that is not paid: %v", err)
	}
	if err := d.receipts.Send(t.Context(), "o-none"); !errors.Is(err, service.ErrNotFound) || !errors.As(err, &buried) {
		t.Errorf("an order that is not there: %v", err)
	}
	if n := d.sink.State().Counts.Mails; n != 0 {
		t.Errorf("%d mails", n)
	}
}
