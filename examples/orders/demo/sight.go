package demo

import (
	"context"

	"github.com/twicehq/twice/examples/orders/gateway"
	"github.com/twicehq/twice/examples/orders/mailsink"
	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/examples/orders/store"
	"github.com/twicehq/twice/outbox"
	"github.com/twicehq/twice/queue"
)

// sight is what there is to see of a world at a moment: outside, in the application's tables, and in the
// queue by scan.
type sight struct {
	Charges  []gateway.Charge // the gateway's own list
	Mails    []mailsink.Mail  // what the mail server took
	Calls    int              // that the gateway was asked for charges
	Rows     store.Totals
	Jobs     queue.Tally
	Accepted int
	Pruned   int
	Missing  int
}

func (w *world) see(ctx context.Context) (s sight, err error) {
	for c, err := range w.gateway.All(ctx) {
		if err != nil {
			return s, err
		}
		s.Charges = append(s.Charges, c)
	}
	for q := (mailsink.Query{Limit: 1000}); ; {
		page, err := w.mails.Mails(ctx, q)
		if err != nil {
			return s, err
		}
		s.Mails = append(s.Mails, page.Mails...)
		if q.Cursor = page.NextCursor; !page.More {
			break
		}
	}
	state, err := w.gateway.State(ctx)
	if err != nil {
		return s, err
	}
	s.Calls = int(state.Counts.Calls)
	if s.Rows, err = w.app.Store.Totals(ctx); err != nil {
		return s, err
	}
	return s, w.scan(ctx, &s)
}

// scan counts every job. What waits in an outbox is on its way: the engine is looked at once nothing is.
func (w *world) scan(ctx context.Context, s *sight) error {
	if w.box != nil {
		err := until(ctx, "every job has left the outbox", func() (bool, error) {
			waiting, err := w.box.(queue.Inspector).Depths(ctx, outbox.Queue)
			return err == nil && waiting[0].Queued+waiting[0].Running == 0, err
		})
		if err != nil {
			return err
		}
	}
	books, err := w.audit.Audit(ctx)
	if err != nil {
		return err
	}
	s.Jobs, s.Accepted, s.Pruned, s.Missing = queue.Tally{}, 0, 0, 0
	for _, b := range books {
		f := b.Found
		s.Jobs.Queued += f.Queued
		s.Jobs.Running += f.Running
		s.Jobs.Done += f.Done
		s.Jobs.Dead += f.Dead
		s.Jobs.Cancelled += f.Cancelled
		s.Accepted += int(b.Accepted)
		s.Pruned += int(b.Pruned)
		s.Missing += int(b.Missing())
	}
	return nil
}

// chargesOf counts the charges of an order, mailsTo the mails to its customer.
func (s sight) chargesOf(o order) (n int) {
	for _, c := range s.Charges {
		if c.OrderID == o.ID {
			n++
		}
	}
	return n
}

func (s sight) mailsTo(o order) (n int) {
	for _, m := range s.Mails {
		if len(m.To) == 1 && m.To[0] == o.Customer {
			n++
		}
	}
	return n
}

// has reports whether the mail server took a mail of this Message-ID.
func (s sight) has(messageID string) bool {
	return count(s.Mails, func(m mailsink.Mail) bool { return m.MessageID == messageID }) > 0
}

// effects counts, of some orders, the charges and the mails, and the orders that have more or fewer than one of each.
func (s sight) effects(orders []order) (charges, mails, notOne int) {
	byOrder, byCustomer := map[string]int{}, map[string]int{}
	for _, c := range s.Charges {
		byOrder[c.OrderID]++
	}
	for _, m := range s.Mails {
		for _, to := range m.To {
			byCustomer[to]++
		}
	}
	for _, o := range orders {
		c, m := byOrder[o.ID], byCustomer[o.Customer]
		charges, mails = charges+c, mails+m
		if c != 1 || m != 1 {
			notOne++
		}
	}
	return charges, mails, notOne
}

// rows counts the application's rows: orders, charges, receipts.
func (s sight) rows() int {
	n := s.Rows.Charges + s.Rows.Receipts
	for _, k := range s.Rows.Orders {
		n += k
	}
	return n
}

// drained waits until no job is queued or running.
func (w *world) drained(ctx context.Context) error {
	return until(ctx, "every job has ended", func() (bool, error) {
		var s sight
		err := w.scan(ctx, &s)
		return s.Jobs.Queued+s.Jobs.Running == 0, err
	})
}

// sent waits until the receipts of all these orders are sent.
func (w *world) sent(ctx context.Context, what string, orders ...order) error {
	left := append([]order{}, orders...)
	return until(ctx, what, func() (bool, error) {
		for len(left) > 0 {
			o, err := w.app.Orders.Get(ctx, left[0].ID)
			if err != nil || o.State != service.ReceiptSent {
				return false, err
			}
			left = left[1:]
		}
		return true, nil
	})
}
