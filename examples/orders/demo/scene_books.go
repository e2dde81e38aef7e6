package demo

import (
	"context"
	"time"

	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/queue"
)

// books counts everything, and has the application's own bookkeeping do so.
func books(ctx context.Context, d *Demo, r *record) error {
	w := d.world
	r.did("counted every job by scan, let a worker run the shop's own reconciliation, and compared our tables with the gateway's list and the mails")
	// As of an instant so far ahead that no charge is too young to be compared.
	due := time.Now().Add(2 * time.Minute).Truncate(time.Second)
	job, err := w.app.Kinds.ReconcileAt(ctx, due)
	if err != nil {
		return err
	}
	if _, err := w.engine.Enqueue(ctx, job); err != nil {
		return err
	}
	if err := w.drained(ctx); err != nil {
		return err
	}
	report, found, err := w.app.Store.Report(ctx, due)
	if err != nil {
		return err
	}
	s, err := w.see(ctx)
	if err != nil {
		return err
	}
	placed := w.shop.all()
	paid := len(placed) - 1 // one card is declined for good
	charges, mails, notOne := s.effects(placed)
	j := s.Jobs
	ended := int(j.Done + j.Dead + j.Cancelled + j.Queued + j.Running)
	r.saw("jobs: accepted %s %s done %s + dead %s + cancelled %s + waiting %s. Charges: %s at the gateway %s %s in our books, %d differences. Mails: %s %s %s receipts. Orders: %s, one declined",
		commas(s.Accepted), sign(s.Accepted, ended+s.Pruned), commas(j.Done), commas(j.Dead), commas(j.Cancelled), commas(j.Queued+j.Running),
		commas(len(s.Charges)), sign(len(s.Charges), s.Rows.Charges), commas(s.Rows.Charges), len(report.Differences),
		commas(len(s.Mails)), sign(len(s.Mails), s.Rows.Receipts), commas(s.Rows.Receipts), commas(len(placed)))
	r.equal("jobs missing from accepted = queued + running + done + dead + cancelled + pruned", s.Missing, 0)
	r.equal("jobs accepted: a charge for each order, a receipt for each that is paid, one reconciliation", s.Accepted, len(placed)+paid+1)
	r.equal("jobs that still wait or run", int(j.Queued+j.Running), 0)
	r.equal("dead letters", int(j.Dead), 1)
	r.check(found, "a worker ran the reconciliation", "report found: %v", found)
	r.equal("differences between the gateway's list and our books", len(report.Differences), 0)
	r.equal("charges that the reconciliation compared", report.Theirs, len(s.Charges))
	r.equal("charges on the gateway's list", len(s.Charges), paid)
	r.equal("charges of our orders there", charges, paid)
	r.equal("charges in our books", s.Rows.Charges, paid)
	r.equal("mails that the mail server took", len(s.Mails), paid)
	r.equal("mails to our customers", mails, paid)
	r.equal("receipts in our books", s.Rows.Receipts, paid)
	r.equal("orders without exactly one charge and one mail: the declined one", notOne, 1)
	r.equal("orders whose receipt is sent", s.Rows.Orders[service.ReceiptSent], paid)
	doubts, err := w.look.List(ctx, queue.Query{State: queue.Dead, Reason: queue.ReasonDoubt})
	if err != nil {
		return err
	}
	r.equal("effects in doubt", len(doubts.Records), 0)
	r.figure("accepted", s.Accepted)
	r.figure("done", j.Done)
	r.figure("dead", j.Dead)
	r.figure("cancelled", j.Cancelled)
	r.figure("waiting", j.Queued+j.Running)
	r.figure("missing", s.Missing)
	r.figure("orders", len(placed))
	r.figure("charges_at_the_gateway", len(s.Charges))
	r.figure("charges_in_our_books", s.Rows.Charges)
	r.figure("differences", len(report.Differences))
	r.figure("mails", len(s.Mails))
	r.figure("receipts_in_our_books", s.Rows.Receipts)
	return nil
}

// sign stands between two numbers.
func sign(a, b int) string {
	if a == b {
		return "="
	}
	return "≠"
}
