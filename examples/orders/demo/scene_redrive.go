package demo

import (
	"context"
	"errors"

	"github.com/twicehq/twice/examples/orders/gateway"
	"github.com/twicehq/twice/queue"
)

// redriven deploys workers without the bug, lets one declined card work again, and sends the dead jobs back.
func redriven(ctx context.Context, d *Demo, r *record) error {
	w := d.world
	fixed := []order{d.poison, d.killer, d.declined}
	r.did("ended the workers with SIGTERM and started new ones without the bug, let one of the declined cards work again, and redrove the %d dead jobs", len(fixed))
	if d.poison.ID == "" || d.killer.ID == "" {
		return errors.New("the scenes before left no dead jobs to redrive")
	}
	inOrder := w.dismiss()
	w.faults = nil
	if err := w.hire(ctx, "worker-3", "worker-4"); err != nil {
		return err
	}
	w.base = gateway.Control{Decline: always(d.stillDead.ID)}
	w.settle(ctx)
	ids := []queue.ID{}
	for _, o := range fixed {
		ids = append(ids, o.charge())
	}
	operator, err := queue.Need[queue.Operator](w.engine, "demo")
	if err != nil {
		return err
	}
	refused, err := operator.Redrive(ctx, queue.Actor{Name: "demo", Why: "the bug is fixed, the card works"}, ids...)
	if err := errors.Join(append(refused, err)...); err != nil {
		return err
	}
	if err := w.sent(ctx, "the redriven orders are done", fixed...); err != nil {
		return err
	}
	if err := w.drained(ctx); err != nil {
		return err
	}
	s, err := w.see(ctx)
	if err != nil {
		return err
	}
	charges, mails, notOne := s.effects(fixed)
	status := "0"
	if inOrder != nil {
		status = inOrder.Error()
	}
	r.saw("exit status of the old workers: %s; %d charges and %d mails, one of each for %d of %d orders; %d dead letter left: the other card", status, charges, mails, len(fixed)-notOne, len(fixed), s.Jobs.Dead)
	r.check(inOrder == nil, "the old workers ended in order, exit status 0", "%v", inOrder)
	r.equal("charges of the redriven orders", charges, len(fixed))
	r.equal("mails of the redriven orders", mails, len(fixed))
	r.equal("orders without exactly one charge and one mail", notOne, 0)
	r.equal("dead letters left", int(s.Jobs.Dead), 1)
	r.figure("redriven", len(fixed))
	r.figure("charges", charges)
	r.figure("mails", mails)
	r.figure("dead_letters_left", s.Jobs.Dead)
	return nil
}
