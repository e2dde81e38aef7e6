package demo

import (
	"context"
	"path/filepath"

	"github.com/twicehq/twice/examples/orders/gateway"
	"github.com/twicehq/twice/examples/orders/service"
)

// controlled does the same in a world that keeps no record of its effects, before a gateway that ignores
// keys: what is claimed is that it goes wrong. Otherwise the demo could not tell a world in order from one
// that is not.
func controlled(ctx context.Context, d *Demo, r *record) error {
	const n = 20
	r.did("the same double run, of %d orders, and the same kill in a second shop: without the ledger, and with a gateway that ignores keys. Here it must go wrong", n)
	w, err := openWorld(ctx, d.cfg, filepath.Join(d.cfg.Dir, "control"), "", false)
	defer func() { w.close(ctx.Err() == nil) }()
	if err != nil {
		return err
	}
	w.base = gateway.Control{IgnoreKeys: true}
	w.settle(ctx)
	if err := w.startAPI(ctx); err != nil {
		return err
	}
	if err := w.hire(ctx, "control-worker"); err != nil {
		return err
	}
	placed, _, err := w.shop.place(ctx, names("control", n)...)
	if err != nil {
		return err
	}
	if err := w.drained(ctx); err != nil {
		return err
	}
	before, err := w.see(ctx)
	if err != nil {
		return err
	}
	ran, _, err := w.redeliver(ctx)
	if err != nil {
		return err
	}
	after, err := w.see(ctx)
	if err != nil {
		return err
	}
	onceCharged, onceMailed, once := before.effects(placed)
	twiceCharged, twiceMailed, twice := after.effects(placed)

	victim, _, held, err := w.holdAfterCharge(ctx, names("control-kill", 1))
	if err != nil {
		return err
	}
	if err := victim.living().Kill(); err != nil {
		return err
	}
	if err := w.sent(ctx, "the order has its receipt", held...); err != nil {
		return err
	}
	last, err := w.see(ctx)
	if err != nil {
		return err
	}
	double := last.chargesOf(held[0])
	report, err := w.app.Books.Compare(ctx, last.Charges[len(last.Charges)-1].CreatedAt)
	if err != nil {
		return err
	}
	doubles := count(report.Differences, func(f service.Difference) bool { return f.Kind == service.DoubleCharge })
	r.saw("the double run: charges %s, mails %s. The kill: %d charges of one order. Double charges that the reconciliation finds: %d", change(onceCharged, twiceCharged), change(onceMailed, twiceMailed), double, doubles)
	r.equal("orders without exactly one charge and one mail before the double run", once, 0)
	r.equal("jobs delivered again", ran, 2*n)
	r.equal("charges after it", twiceCharged, 2*n)
	r.equal("mails after it", twiceMailed, 2*n)
	r.equal("orders charged or mailed twice by it", twice, n)
	r.equal("charges of the order whose worker was killed", double, 2)
	r.equal("double charges that the reconciliation finds", doubles, n+1)
	r.figure("charges", []int{onceCharged, twiceCharged})
	r.figure("mails", []int{onceMailed, twiceMailed})
	r.figure("charges_after_the_kill", double)
	r.figure("double_charges_found", doubles)
	return nil
}
