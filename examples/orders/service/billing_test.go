package service_test

import (
	"errors"
	"testing"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/examples/orders/gateway"
	"github.com/twicehq/twice/examples/orders/jobs"
	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/queue"
)

// What the gateway says decides what the job is told: to end, to be buried, or to try again.
func TestCharge_answers(t *testing.T) {
	once := gateway.Aim{Next: 1}
	for name, c := range map[string]struct {
		told    gateway.Control
		answer  error
		buried  bool
		state   service.State
		charges int64
	}{
		"it charges":                 {state: service.Charged, charges: 1},
		"it declines":                {told: gateway.Control{Decline: once}, answer: gateway.ErrDeclined, buried: true, state: service.Failed},
		"it fails before the charge": {told: gateway.Control{FailBefore: once}, answer: gateway.ErrUnavailable, state: service.Placed},
		"it fails after the charge":  {told: gateway.Control{FailAfter: once}, answer: gateway.ErrUnavailable, state: service.Placed, charges: 1},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, gateway.Config{})
			d.ok(d.gateway.Control(c.told))
			o := d.place(request("ada"))
			h, err := d.attempt(d.charge)
			var buried *twice.Buried
			if !errors.Is(err, c.answer) || errors.As(err, &buried) != c.buried || h.Settled() != (c.answer == nil) {
				t.Errorf("answer %v, settled %v", err, h.Settled())
			}
			got := d.order(o.ID)
			if got.State != c.state || (got.Charge != nil) != (c.answer == nil) || (got.Failure != "") != c.buried {
				t.Errorf("the order is %+v; want it %s", got, c.state)
			}
			if n := d.gateway.State().Counts.Charges; n != c.charges {
				t.Errorf("%d charges; want %d", n, c.charges)
			}
			_, err = d.engine.Job(t.Context(), queue.NewID(jobs.ReceiptKind, o.ID))
			if left := err == nil; left != (c.answer == nil) {
				t.Errorf("its receipt is left to be sent: %v", left)
			}
		})
	}
}

// What is recorded is the charge that the gateway made.
func TestCharge_amounts(t *testing.T) {
	for _, cents := range []int64{1, 100, 10_000_000} {
		d := newDesk(t, gateway.Config{})
		r := request("ada")
		r.AmountCents, r.Currency = cents, "SEK"
		o := d.place(r)
		_, err := d.attempt(d.charge)
		d.ok(err)
		page, err := d.billing.Gateway.List(t.Context(), "")
		d.ok(err)
		if len(page.Charges) != 1 {
			t.Fatalf("%+v", page)
		}
		theirs := page.Charges[0]
		want := service.Charge{ID: theirs.ID, OrderID: o.ID, AmountCents: cents, Currency: "SEK", ChargedAt: theirs.CreatedAt}
		if got := d.order(o.ID).Charge; got == nil || *got != want || theirs.AmountCents != cents || theirs.OrderID != o.ID {
			t.Errorf("%d cents: ours is %+v, the gateway's %+v", cents, got, theirs)
		}
	}
}

// An order that is not there is no use trying again. Outside a handler nothing is asked of anybody.
func TestCharge_misused(t *testing.T) {
	d := newDesk(t, gateway.Config{})
	o := d.place(request("ada"))
	var buried *twice.Buried
	if err := d.billing.Charge(t.Context(), "o-none"); !errors.Is(err, service.ErrNotFound) || !errors.As(err, &buried) {
		t.Errorf("an order that is not there: %v", err)
	}
	if err := d.billing.Charge(t.Context(), o.ID); !errors.Is(err, queue.ErrInvalid) || errors.As(err, &buried) {
		t.Errorf("outside a handler: %v", err)
	}
	if n := d.gateway.State().Counts.Calls; n != 0 {
		t.Errorf("the gateway was called %d times", n)
	}
}
