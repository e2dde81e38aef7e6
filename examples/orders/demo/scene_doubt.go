package demo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/twicehq/twice/examples/orders/mailsink"
	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/queue"
)

// inDoubt kills a worker while the mail server has taken a receipt and not yet said so. A mail server, unlike
// the gateway, cannot be asked: the job is set aside for a person, who finds the mail and says so.
func inDoubt(ctx context.Context, d *Demo, r *record) error {
	w := d.world
	victim, o, err := w.holdAfterMail(ctx, "doubt-1")
	if err != nil {
		return err
	}
	died := victim.deaths()
	if err := victim.living().Kill(); err != nil {
		return err
	}
	began := time.Now()
	r.did("let the mail server take the receipt of an order and hold its answer back; killed %s, which waited for it, with SIGKILL", victim.name)
	if err := until(ctx, victim.name+" is dead", func() (bool, error) { return victim.deaths() > died, nil }); err != nil {
		return err
	}
	w.settle(ctx) // the answer goes nowhere
	var parked queue.Record
	err = until(ctx, "the receipt's job has ended", func() (so bool, err error) {
		parked, err = w.look.Job(ctx, o.receipt())
		return parked.State.Ended(), err
	})
	if err != nil {
		return err
	}
	took := time.Since(began)
	before, err := w.see(ctx)
	if err != nil {
		return err
	}
	fate, said := fmt.Sprintf("the job was %s without anybody being asked", parked.State), "nobody was asked"
	if parked.Reason == queue.ReasonDoubt {
		var command string
		if command, said, err = w.answerByCommand(ctx, o); err != nil {
			return err
		}
		r.Did += "; then, as a person does, found the mail in the customer's mailbox and ran `" + command + "`"
		fate = fmt.Sprintf("a second attempt had set the job aside, since a mail server cannot be asked: dead (reason %q), %d mail. The command said %q", parked.Reason, before.mailsTo(o), said)
	}
	if err := w.sent(ctx, "the order has its receipt", o); err != nil {
		return err
	}
	if err := w.drained(ctx); err != nil {
		return err
	}
	after, err := w.see(ctx)
	if err != nil {
		return err
	}
	job, err := w.look.Job(ctx, o.receipt())
	if err != nil {
		return err
	}
	shown, err := w.app.Orders.Get(ctx, o.ID)
	if err != nil {
		return err
	}
	named := ""
	if shown.Receipt != nil {
		named = shown.Receipt.MessageID
	}
	unknown := count(parked.Effects, func(e queue.Effect) bool { return e.State == queue.EffectUnknown })
	r.saw("%s after the kill %s. In the end: job %s, order %s; %d charge, %d mail", short(took), fate, job.State, shown.State, after.chargesOf(o), after.mailsTo(o))
	r.check(parked.State == queue.Dead && parked.Reason == queue.ReasonDoubt, "the job is parked for a person, and not tried again", "%s (%s)", parked.State, parked.Reason)
	r.equal("effects of it of which nobody can tell", unknown, 1)
	r.equal("mails of the order while it was parked", before.mailsTo(o), 1)
	r.check(strings.Contains(said, "recorded"), "the person's answer is taken", "%s", said)
	r.check(job.State == queue.Done && shown.State == service.ReceiptSent, "after the answer the order is done", "job %s, order %s", job.State, shown.State)
	r.equal("charges of the order", after.chargesOf(o), 1)
	r.equal("mails of the order", after.mailsTo(o), 1)
	r.check(after.has(named), "the mail is the one that our books name", "%s", named)
	r.equal("receipts in our books: one for each mail that the mail server took", after.Rows.Receipts, len(after.Mails))
	r.equal("jobs missing from the books", after.Missing, 0)
	r.equal("dead letters left", int(after.Jobs.Dead), 0)
	r.figure("seconds_until_parked", round(took.Seconds()))
	r.figure("reason", parked.Reason)
	r.figure("error", parked.Error)
	r.figure("mails_while_parked", before.mailsTo(o))
	r.figure("answer", said)
	r.figure("charges", after.chargesOf(o))
	r.figure("mails", after.mailsTo(o))
	return nil
}

// holdAfterMail places an order whose receipt the mail server takes and does not answer, and waits until it
// hangs there. It gives the worker that waits for the answer.
func (w *world) holdAfterMail(ctx context.Context, reference string) (victim *process, o order, err error) {
	// Where the mail goes is known before the order is placed.
	to := customer(reference)
	if err := w.mails.Control(ctx, mailsink.Control{HoldAfter: mailsink.Aim{To: map[string]int{to: 1}}}); err != nil {
		return nil, o, err
	}
	placed, a, err := w.shop.place(ctx, reference)
	if err != nil {
		return nil, o, err
	}
	if o = placed[0]; a.Created != 1 {
		return nil, o, errors.New("the order was refused: " + a.First)
	}
	err = until(ctx, "the mail server holds the receipt", func() (bool, error) {
		state, err := w.mails.State(ctx)
		return count(state.Held, func(h mailsink.Held) bool { return h.Accepted }) == 1, err
	})
	if err != nil {
		return nil, o, err
	}
	victim, err = w.holder(ctx, o.receipt())
	if err == nil && victim == nil {
		err = errors.New("no worker holds the lease of the receipt")
	}
	return victim, o, err
}
