package ledger_test

import (
	"context"
	"testing"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// hooked is a store with something done before and after each call that an attempt makes; lose makes it
// answer "outcome unknown" after it acted.
type hooked struct {
	ledger.Store
	before, after func(op string)
	lose          func(op string) bool
}

func (h *hooked) around(op string, call func() error) error {
	if h.before != nil {
		h.before(op)
	}
	err := call()
	if h.after != nil {
		h.after(op)
	}
	if h.lose != nil && h.lose(op) {
		return &queue.Error{Op: op, Reason: queue.ErrUnknownOutcome}
	}
	return err
}

func (h *hooked) Intend(ctx context.Context, try ledger.Try) (e ledger.Entry, err error) {
	err = h.around("intend", func() (err error) { e, err = h.Store.Intend(ctx, try); return })
	return e, err
}

func (h *hooked) Confirm(ctx context.Context, try ledger.Try, result []byte) error {
	return h.around("confirm", func() error { return h.Store.Confirm(ctx, try, result) })
}

func (h *hooked) Doubt(ctx context.Context, try ledger.Try) error {
	return h.around("doubt", func() error { return h.Store.Doubt(ctx, try) })
}

func (h *hooked) Withdraw(ctx context.Context, try ledger.Try) (ok bool, err error) {
	err = h.around("withdraw", func() (err error) { ok, err = h.Store.Withdraw(ctx, try); return })
	return ok, err
}

// Case 19 for the ledger: the reply of each call is lost once after the store acted, and the call is repeated.
func TestCase19LostRepliesOfTheLedgerChangeNothing(t *testing.T) {
	for _, declines := range []bool{false, true} {
		b, r := newBench(t), newRemote(false)
		last := ""
		lossy := &hooked{Store: b, lose: func(op string) bool { lose := op != last; last = op; return lose }}
		if declines {
			r.decline = ledger.NotDone(errLost)
			_, err := ledger.Once(b.attempt(), lossy, neither(r))
			want(t, "declined", err, errLost)
			b.wantState("mail", "")
			r.decline, r.calls, last = nil, 0, ""
		}
		if _, err := ledger.Once(b.attempt(), lossy, neither(r)); err != nil {
			t.Fatal(err)
		}
		r.want(t, 1, 1)
		b.wantState("mail", ledger.Confirmed)
	}
}

// An intent whose outcome stays unknown is taken back: nobody called, so nobody need be asked about it.
func TestOnceTakesBackAnIntentItNeverHeardOf(t *testing.T) {
	b, r := newBench(t), newRemote(false)
	lossy := &hooked{Store: b, lose: func(op string) bool { return op == "intend" }}
	_, err := ledger.Once(b.attempt(), lossy, neither(r))
	want(t, "Once", err, queue.ErrUnknownOutcome)
	b.wantState("mail", "")
	r.want(t, 0, 0)
}
