package memory

import (
	"bytes"
	"context"
	"slices"

	"github.com/twicehq/twice/ledger"
)

// Intend implements [ledger.Store].
func (l *Ledger) Intend(ctx context.Context, try ledger.Try) (ledger.Entry, error) {
	var out ledger.Entry
	refused := l.guarded(ctx, "intend", try, func() error {
		e := l.find(try.Key())
		switch {
		case e != nil && e.Differs(try):
			return ledger.RefuseOther("intend", try, e.Entry)
		case e == nil:
			e = &effect{Entry: ledger.Entry{Key: try.Key(), Fingerprint: try.Fingerprint}}
			l.job(try.Lease.Job.ID).steps[try.Step] = e
			fallthrough
		case e.State == ledger.Denied:
			e.State, e.FirstSentAt, e.alone = ledger.Pending, l.now(), try.ID
		case e.alone != try.ID:
			e.alone = ledger.TryID{} // another sees it: nobody can withdraw it any more
		}
		e.see(try)
		out = l.answer(e, try)
		return nil
	})
	if refused == nil || ctx.Err() != nil {
		return out, refused
	}
	return l.recorded(try, refused)
}

// recorded gives the confirmed entry to a try that is refused; else the refusal.
func (l *Ledger) recorded(try ledger.Try, refused error) (ledger.Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.find(try.Key()); e != nil && e.State == ledger.Confirmed && !e.Differs(try) {
		return l.answer(e, try), nil
	}
	return ledger.Entry{}, refused
}

// Confirm implements [ledger.Store].
func (l *Ledger) Confirm(ctx context.Context, try ledger.Try, result []byte) error {
	return l.guarded(ctx, "confirm", try, func() error {
		e := l.find(try.Key())
		switch {
		case e == nil:
			return ledger.RefuseState("confirm", try.Key(), "")
		case e.State == ledger.Confirmed && !bytes.Equal(e.Result, result):
			return ledger.RefuseState("confirm", try.Key(), e.State)
		}
		e.State, e.Result, e.alone = ledger.Confirmed, slices.Clone(result), ledger.TryID{}
		e.see(try)
		return nil
	})
}

// Doubt implements [ledger.Store].
func (l *Ledger) Doubt(ctx context.Context, try ledger.Try) error {
	return l.guarded(ctx, "doubt", try, func() error {
		e := l.find(try.Key())
		if e == nil || e.State != ledger.Pending && e.State != ledger.Unknown {
			return ledger.RefuseState("doubt", try.Key(), e.state())
		}
		e.State, e.alone = ledger.Unknown, ledger.TryID{}
		e.see(try)
		return nil
	})
}

func (e *effect) state() ledger.State {
	if e == nil {
		return ""
	}
	return e.State
}

// Withdraw implements [ledger.Store].
func (l *Ledger) Withdraw(ctx context.Context, try ledger.Try) (bool, error) {
	gone := false
	err := l.guarded(ctx, "withdraw", try, func() error {
		e := l.find(try.Key())
		switch {
		case e == nil:
			gone = true
		case e.State != ledger.Pending || e.alone != try.ID || isZero(e.alone):
		case e.DeniedBefore(): // a person's word stays listed
			e.State, e.alone, gone = ledger.Denied, ledger.TryID{}, true
		default:
			delete(l.jobs[try.Lease.Job.ID].steps, try.Step)
			gone = true
		}
		return nil
	})
	return gone, err
}
