package demo

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"

	"github.com/twicehq/twice/queue"
)

// doubleRun has everything happen a second time, and compares the worlds.
func doubleRun(ctx context.Context, d *Demo, r *record) error {
	w := d.world
	r.did("let every client send its order again; then delivered every finished job again: its handler ran whole, in the demo's process, with the job's last lease (the engine itself leases no finished job)")
	before, err := w.see(ctx)
	if err != nil {
		return err
	}
	a, err := w.shop.again(ctx)
	if err != nil {
		return err
	}
	ran, refused, err := w.redeliver(ctx)
	if err != nil {
		return err
	}
	if err := w.drained(ctx); err != nil {
		return err
	}
	after, err := w.see(ctx)
	if err != nil {
		return err
	}
	told := fmt.Sprintf("%s of them were told \"lease lost\"", commas(refused))
	if w.box != nil {
		told = "and found everything recorded"
	}
	r.saw("%s orders known, %s new. %s handlers ran, %s. Before → after: charges %s, mails %s, rows %s, jobs %s, calls to the gateway %s",
		commas(a.Known), commas(a.Created), commas(ran), told, change(len(before.Charges), len(after.Charges)), change(len(before.Mails), len(after.Mails)),
		change(before.rows(), after.rows()), change(before.Accepted, after.Accepted), change(before.Calls, after.Calls))
	r.equal("repeated orders known by the API", a.Known, len(w.shop.all()))
	r.equal("jobs delivered again", ran, int(before.Jobs.Done))
	if w.box == nil { // beside its jobs the ledger also asks whether the lease is held; elsewhere it gives what it recorded
		r.equal("of them told that they no longer count", refused, ran)
	}
	r.check(reflect.DeepEqual(before.Charges, after.Charges), "the gateway's list is the same", "%d and %d charges", len(before.Charges), len(after.Charges))
	r.check(reflect.DeepEqual(before.Mails, after.Mails), "the mails are the same", "%d and %d mails", len(before.Mails), len(after.Mails))
	r.check(reflect.DeepEqual(before.Rows, after.Rows), "the application's rows are the same", "%+v and %+v", before.Rows, after.Rows)
	r.check(before.Jobs == after.Jobs && before.Accepted == after.Accepted, "the jobs are the same", "%d and %d accepted", before.Accepted, after.Accepted)
	r.figure("orders_sent_again", a.Known)
	r.figure("jobs_delivered_again", ran)
	r.figure("told_lease_lost", refused)
	r.figure("charges", []int{len(before.Charges), len(after.Charges)})
	r.figure("mails", []int{len(before.Mails), len(after.Mails)})
	r.figure("rows", []int{before.rows(), after.rows()})
	r.figure("gateway_calls", []int{before.Calls, after.Calls})
	return nil
}

// change shows a number before and after.
func change(before, after int) string { return commas(before) + " → " + commas(after) }

// redeliver runs the handlers of all jobs of all orders once more, in an order of the seed, several at a
// time: see orders.App.Redeliver. It counts the runs, and those that were told that they no longer count.
func (w *world) redeliver(ctx context.Context) (ran, refused int, err error) {
	var all []queue.Job
	for _, o := range w.shop.all() {
		jobs, err := w.app.JobsOf(ctx, o.ID)
		if err != nil {
			return 0, 0, err
		}
		all = append(all, jobs...)
	}
	rand.New(rand.NewPCG(w.cfg.Seed, 2)).Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	answers := make([]error, len(all))
	err = each(ctx, len(all), func(ctx context.Context, i int) (err error) {
		answers[i], err = w.app.Redeliver(ctx, all[i])
		return err
	})
	for _, answer := range answers {
		if errors.Is(answer, queue.ErrLeaseLost) {
			refused++
		}
	}
	return len(all), refused, err
}
