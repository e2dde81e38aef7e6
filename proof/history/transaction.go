package history

import (
	"context"

	"github.com/twicehq/twice/queue"
)

// Transaction records what one transaction of the caller's own asks of an engine. Its outcome is that of the commit,
// which the caller tells by End. It serves one goroutine, as the transaction does.
type Transaction struct {
	r      *Recorder
	client string
	under  []asked
}

// asked is one request in it, and how it is answered if the transaction commits.
type asked struct {
	call
	ops []Op
}

// Transaction begins one; nothing is recorded before In is called.
func (r *Recorder) Transaction(client string) *Transaction {
	return &Transaction{r: r, client: client}
}

// In gives tx with everything recorded. Where it is called again the engine has rolled the transaction back and runs it
// from its start: what was asked before did not happen.
func (t *Transaction) In(tx queue.Tx) queue.Tx {
	t.drop()
	return inside{tx, t}
}

func (t *Transaction) drop() {
	for _, a := range t.under {
		a.end()
	}
	t.under = nil
}

// End keeps the transaction as it went: rolled back by the caller, or, if not, answered with err by the commit.
func (t *Transaction) End(rolledBack bool, err error) {
	promised := 0 // requests that the transaction would carry out
	for _, a := range t.under {
		for _, op := range a.ops {
			if op.Answer == OK {
				promised++
			}
		}
	}
	for i, a := range t.under {
		for n := range a.ops {
			op := &a.ops[n]
			switch {
			case op.Answer == LeaseLost && i == 0: // so it stood before the transaction did anything
			case rolledBack, op.Answer == LeaseLost && err != nil:
				op.Answer = Refused
			case err == nil || op.Answer != OK:
			case answer(err) == LeaseLost && promised > 1: // nobody knows which
				op.Answer = Refused
			default:
				op.Answer = answer(err)
			}
		}
		a.end(a.ops...)
	}
	t.under = nil
}

// inside records each request when it is made. That is before the commit, at which it takes effect.
type inside struct {
	queue.Tx
	t *Transaction
}

func (i inside) ask(c call, ops []Op) { i.t.under = append(i.t.under, asked{c, ops}) }

// Enqueue implements [queue.Enqueuer].
func (i inside) Enqueue(ctx context.Context, jobs ...queue.Job) ([]queue.Receipt, error) {
	c := i.t.r.begin(i.t.client, func() []Op { return enqueued(Enqueue, jobs, nil, unheard) })
	receipts, err := i.Tx.Enqueue(ctx, jobs...)
	i.ask(c, enqueued(Enqueue, jobs, receipts, err))
	return receipts, err
}

// Hold implements [queue.Tx].
func (i inside) Hold(ctx context.Context, lease queue.Lease) error {
	op := Op{Call: Hold, Job: lease.Job.ID, Lease: leaseText(lease.ID), Token: lease.Token, Answer: Unknown}
	c := i.t.r.begin(i.t.client, func() []Op { return []Op{op} })
	err := i.Tx.Hold(ctx, lease)
	op.Answer = answer(err)
	i.ask(c, []Op{op})
	return err
}

// Settle implements [queue.Tx].
func (i inside) Settle(ctx context.Context, ends ...queue.Settlement) ([]error, error) {
	c := i.t.r.begin(i.t.client, func() []Op { return settled(ends, nil, unheard) })
	errs, err := i.Tx.Settle(ctx, ends...)
	i.ask(c, settled(ends, errs, err))
	return errs, err
}
