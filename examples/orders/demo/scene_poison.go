package demo

import (
	"context"
	"fmt"
	"strings"

	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/queue"
)

// poison places an order that meets a bug on every try, and two whose payment is declined.
func poison(ctx context.Context, d *Demo, r *record) error {
	const beside = 10
	w := d.world
	r.did("placed an order that meets a bug on every try, two whose payment is declined, and %d good ones", beside)
	w.base.Decline = always(service.OrderID("declined-1"), service.OrderID("declined-2"))
	w.settle(ctx)
	good := names("beside-poison", beside)
	placed, a, err := w.shop.place(ctx, append([]string{"poison-1", "declined-1", "declined-2"}, good...)...)
	if err != nil {
		return err
	}
	d.poison, d.declined, d.stillDead = placed[0], placed[1], placed[2]
	if err := w.sent(ctx, "the orders beside are done", placed[3:]...); err != nil {
		return err
	}
	bad, err := w.dead(ctx, d.poison, queue.ReasonFailures)
	if err != nil {
		return err
	}
	buried := [2]queue.Record{}
	for i, o := range []order{d.declined, d.stillDead} {
		if buried[i], err = w.dead(ctx, o, queue.ReasonBuried); err != nil {
			return err
		}
	}
	s, err := w.see(ctx)
	if err != nil {
		return err
	}
	_, _, notOne := s.effects(placed[3:])
	r.saw("the bug: %d tries, then dead (reason %q: %q), %d charges. The declined: %d try each, dead (reason %q). %d of %d good ones have one charge and one mail",
		len(bad.Attempts), bad.Reason, shortened(bad.Error, 40), s.chargesOf(d.poison), max(len(buried[0].Attempts), len(buried[1].Attempts)), buried[0].Reason, beside-notOne, beside)
	r.equal("orders accepted", a.Created, len(placed))
	r.equal("tries of the poison order, its cap", len(bad.Attempts)+bad.AttemptsDropped, maxFailures)
	r.equal("failures counted", bad.Counts.Failures, maxFailures)
	r.check(strings.Contains(bad.Error, "fault was injected"), "the dead letter names the error", "%s", bad.Error)
	r.equal("charges of the poison order", s.chargesOf(d.poison), 0)
	for i, o := range []order{d.declined, d.stillDead} {
		r.check(len(buried[i].Attempts) == 1 && strings.Contains(buried[i].Error, "declined"), "a declined order is tried once and says so", "%d tries: %s", len(buried[i].Attempts), buried[i].Error)
		r.equal("charges of a declined order", s.chargesOf(o), 0)
	}
	r.equal("orders beside without exactly one charge and one mail", notOne, 0)
	r.figure("tries", len(bad.Attempts))
	r.figure("waits_ms", waits(bad.Attempts))
	r.figure("reason", bad.Reason)
	r.figure("error", bad.Error)
	r.figure("declined_reason", buried[0].Reason)
	r.figure("declined_error", buried[0].Error)
	return nil
}

// dead waits until the charge of an order is dead, and checks for what reason.
func (w *world) dead(ctx context.Context, o order, reason queue.Reason) (found queue.Record, err error) {
	err = until(ctx, "the charge of "+o.Reference+" is dead", func() (bool, error) {
		found, err = w.look.Job(ctx, o.charge())
		return found.State == queue.Dead, err
	})
	if err == nil && found.Reason != reason {
		err = fmt.Errorf("the charge of %s is dead for reason %q and not %q: %s", o.Reference, found.Reason, reason, found.Error)
	}
	return found, err
}

// waits gives the time between one try and the next.
func waits(tries []queue.Attempt) (all []float64) {
	for i := 1; i < len(tries); i++ {
		all = append(all, ms(tries[i].Start.Sub(tries[i-1].End)))
	}
	return all
}

func shortened(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return text[:n] + "…"
}
