package demo

import (
	"context"
	"errors"
	"time"

	"github.com/twicehq/twice/examples/orders/gateway"
	"github.com/twicehq/twice/examples/orders/service"
)

// killed kills a worker while the gateway has charged and not yet answered.
func killed(ctx context.Context, d *Demo, r *record) error {
	const n = 6
	w := d.world
	before, err := w.see(ctx)
	if err != nil {
		return err
	}
	victim, lost, held, err := w.holdAfterCharge(ctx, names("kill", n))
	if err != nil {
		return err
	}
	mark := map[*process]int64{}
	for _, p := range w.workers {
		mark[p] = p.log.mark()
	}
	pid, died := victim.pid(), victim.deaths()
	if err := victim.living().Kill(); err != nil {
		return err
	}
	began := time.Now()
	r.did("let the gateway charge %d orders and hold its answers back; killed %s, which waited for %d of them, with SIGKILL", n, victim.name, len(lost))
	if err := until(ctx, victim.name+" is dead", func() (bool, error) { return victim.deaths() > died, nil }); err != nil {
		return err
	}
	w.settle(ctx) // those that the other worker waits for are answered
	if err := w.sent(ctx, "every order has its receipt", held...); err != nil {
		return err
	}
	took := time.Since(began)
	after, err := w.see(ctx)
	if err != nil {
		return err
	}
	again := 0 // second attempts that ended well
	for _, p := range w.workers {
		k, err := p.log.count(mark[p], func(l line) bool {
			return l.Message == "attempt ended" && l.Outcome == "done" && l.Attempt > 1 && isCharge(l, lost)
		})
		if err != nil {
			return err
		}
		again += k
	}
	charges, mails, notOne := after.effects(held)
	r.saw("%s after the kill a second attempt had done %d of these %d (it waits for the lease to run out, and asks the gateway about its key). In all: %d charges by %d calls, %d mails, one of each for %d of %d orders",
		short(took), again, len(lost), charges, after.Calls-before.Calls, mails, n-notOne, n)
	r.check(len(lost) > 0, "the killed worker held jobs whose charge was made", "%d", len(lost))
	r.equal("of these done by a second attempt", again, len(lost))
	r.equal("charges", charges, n)
	r.equal("mails", mails, n)
	r.equal("orders without exactly one charge and one mail", notOne, 0)
	r.check(victim.pid() != pid && victim.deaths() == died+1, "the worker died once and was started again", "%d deaths", victim.deaths()-died)
	r.figure("held_by_the_killed", len(lost))
	r.figure("charges", charges)
	r.figure("mails", mails)
	r.figure("calls_to_charge", after.Calls-before.Calls)
	r.figure("seconds_to_recover", round(took.Seconds()))
	return nil
}

// holdAfterCharge places orders whose charge the gateway makes and does not answer, and waits until all
// hang there. It gives the worker that waits for most of them, those that it waits for, and all.
func (w *world) holdAfterCharge(ctx context.Context, references []string) (victim *process, lost, all []order, err error) {
	told := w.base
	ids := make([]string, len(references))
	for i, ref := range references {
		ids[i] = service.OrderID(ref) // known before the order is placed
	}
	told.HoldAfter = aim(1, ids...)
	if err := w.gateway.Control(ctx, told); err != nil {
		return nil, nil, nil, err
	}
	all, a, err := w.shop.place(ctx, references...)
	if err != nil {
		return nil, nil, nil, err
	}
	if a.Created != len(references) {
		return nil, nil, nil, errors.New("an order was refused: " + a.First)
	}
	err = until(ctx, "the gateway holds every charge", func() (bool, error) {
		state, err := w.gateway.State(ctx)
		return count(state.Held, func(h gateway.Held) bool { return h.Charged }) == len(references), err
	})
	if err != nil {
		return nil, nil, nil, err
	}
	by := map[*process][]order{}
	for _, o := range all {
		p, err := w.holder(ctx, o.charge())
		if err != nil {
			return nil, nil, nil, err
		}
		if p == nil {
			continue
		}
		if by[p] = append(by[p], o); len(by[p]) > len(by[victim]) {
			victim = p
		}
	}
	if victim == nil {
		return nil, nil, nil, errors.New("no worker holds the lease of a charge")
	}
	return victim, by[victim], all, nil
}

func count[T any](all []T, is func(T) bool) (n int) {
	for _, v := range all {
		if is(v) {
			n++
		}
	}
	return n
}

// isCharge reports whether a line is about the charge of one of the orders.
func isCharge(l line, orders []order) bool {
	return count(orders, func(o order) bool { return o.charge().String() == l.Job }) > 0
}
