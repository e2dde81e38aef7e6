package proof

import (
	"context"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// store is a ledger whose calls by an attempt are seen. Those by people and for upkeep pass.
type store struct {
	ledger.Store
	o *Outside
}

func (s *store) around(ctx context.Context, name string, act func() error) error {
	return s.o.around(ctx, ledgerCall(name), func() (string, error) {
		err := act()
		return outcome(err), err
	})
}

// ledgerCall is a call of a ledger: where its reply is lost, a store says that the outcome is unknown.
func ledgerCall(name string) call {
	name = "ledger " + name
	return call{name: name, lose: func() error {
		return &queue.Error{Op: name, Reason: queue.ErrUnknownOutcome, Cause: ErrLost}
	}}
}

// Intend implements [ledger.Store].
func (s *store) Intend(ctx context.Context, try ledger.Try) (e ledger.Entry, err error) {
	err = s.o.around(ctx, ledgerCall("intend "+try.Step), func() (string, error) {
		e, err = s.Store.Intend(ctx, try)
		switch {
		case err != nil:
			return outcome(err), err
		case e.State == ledger.Pending && e.Mine:
			return "nothing was recorded before, the intent is now", nil
		}
		return "it is there already, " + string(e.State), nil
	})
	if err != nil {
		e = ledger.Entry{}
	}
	return e, err
}

// Confirm implements [ledger.Store].
func (s *store) Confirm(ctx context.Context, try ledger.Try, result []byte) error {
	return s.around(ctx, "confirm "+try.Step, func() error { return s.Store.Confirm(ctx, try, result) })
}

// Doubt implements [ledger.Store].
func (s *store) Doubt(ctx context.Context, try ledger.Try) error {
	return s.around(ctx, "doubt "+try.Step, func() error { return s.Store.Doubt(ctx, try) })
}

// Withdraw implements [ledger.Store].
func (s *store) Withdraw(ctx context.Context, try ledger.Try) (gone bool, err error) {
	err = s.around(ctx, "withdraw "+try.Step, func() (err error) { gone, err = s.Store.Withdraw(ctx, try); return })
	return gone && err == nil, err
}

// enqueuer takes jobs for the engine that the job under proof rests in.
type enqueuer struct{ o *Outside }

// Enqueue implements [queue.Enqueuer].
func (e enqueuer) Enqueue(ctx context.Context, jobs ...queue.Job) (receipts []queue.Receipt, err error) {
	name := "enqueue"
	for _, j := range jobs {
		name += " " + j.Kind
	}
	c := call{name: name, effect: true, lose: func() error {
		return &queue.Error{Op: name, Reason: queue.ErrUnknownOutcome, Cause: ErrLost}
	}}
	err = e.o.around(ctx, c, func() (string, error) {
		receipts, err = e.o.t.engine.Enqueue(ctx, jobs...)
		said := ""
		for _, r := range receipts {
			said += " " + r.Status.String()
		}
		if err != nil {
			said = " " + outcome(err)
		}
		return said[min(1, len(said)):], err
	})
	if err != nil {
		receipts = nil
	}
	return receipts, err
}
