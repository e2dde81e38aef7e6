package sqlite

import (
	"bytes"
	"cmp"
	"context"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// refusal says why a try may make no effect any more.
func (l *Ledger) refusal(t *txn, op string, try ledger.Try) (refused, err error) {
	seal, err := one(t.s, "SELECT token FROM twice_seal WHERE job = ?", try.Lease.Job.ID[:])
	if err != nil {
		return nil, err
	}
	if seal != nil && try.Lease.Token <= number(seal) {
		return ledger.RefuseSealed(op, try, number(seal)), nil
	}
	mark, err := one(t.s, "SELECT mark FROM twice_ledger")
	if err != nil {
		return nil, err
	}
	if number(mark) > 0 && millis(try.Lease.FreshAt) <= number(mark) {
		return ledger.RefuseStale(op, try, instant(number(mark))), nil
	}
	if l.fenced {
		err := t.hold(try.Lease)
		if refused, ok := err.(*queue.Error); ok {
			return refused, nil
		}
		return nil, err
	}
	return nil, nil
}

// guarded runs write unless the try is refused: check and write are one transaction.
func (l *Ledger) guarded(ctx context.Context, op string, try ledger.Try, write func(*txn) error) error {
	return l.e.write(ctx, op, phaseOther, func(t *txn) error {
		if err := l.allowed(t, op, try); err != nil {
			return err
		}
		return write(t)
	})
}

func (l *Ledger) allowed(t *txn, op string, try ledger.Try) error {
	refused, err := l.refusal(t, op, try)
	return cmp.Or(refused, err)
}

// Intend implements [ledger.Store].
func (l *Ledger) Intend(ctx context.Context, try ledger.Try) (ledger.Entry, error) {
	return written(ctx, l.e, "intend", phaseOther, func(t *txn) (out ledger.Entry, err error) {
		e, err := t.effect(try.Key())
		if err != nil {
			return out, err
		}
		refused, err := l.refusal(t, "intend", try)
		switch {
		case err != nil:
			return out, err
		case e != nil && e.State == ledger.Confirmed && refused != nil && !e.Differs(try):
			return e.Entry, nil
		case refused != nil:
			return out, refused
		case e != nil && e.Differs(try):
			return out, ledger.RefuseOther("intend", try, e.Entry)
		case e == nil:
			e = &entry{Entry: ledger.Entry{Key: try.Key(), Fingerprint: try.Fingerprint, Now: instant(t.now)}}
			fallthrough
		case e.State == ledger.Denied:
			e.State, e.FirstSentAt, e.alone = ledger.Pending, instant(t.now), try.ID
		case e.alone != try.ID:
			e.alone = ledger.TryID{} // another sees it: nobody can withdraw it any more
		}
		e.see(try)
		out = e.Entry
		out.Mine = e.State == ledger.Pending && e.alone == try.ID && e.alone != ledger.TryID{}
		return out, t.saveEffect(e)
	})
}

// Confirm implements [ledger.Store].
func (l *Ledger) Confirm(ctx context.Context, try ledger.Try, result []byte) error {
	return l.guarded(ctx, "confirm", try, func(t *txn) error {
		e, err := t.effect(try.Key())
		switch {
		case err != nil:
			return err
		case e == nil:
			return ledger.RefuseState("confirm", try.Key(), "")
		case e.State == ledger.Confirmed && !bytes.Equal(e.Result, result):
			return ledger.RefuseState("confirm", try.Key(), e.State)
		}
		e.State, e.Result, e.alone = ledger.Confirmed, result, ledger.TryID{}
		e.see(try)
		return t.saveEffect(e)
	})
}

// Doubt implements [ledger.Store].
func (l *Ledger) Doubt(ctx context.Context, try ledger.Try) error {
	return l.guarded(ctx, "doubt", try, func(t *txn) error {
		e, err := t.effect(try.Key())
		switch {
		case err != nil:
			return err
		case e == nil:
			return ledger.RefuseState("doubt", try.Key(), "")
		case e.State != ledger.Pending && e.State != ledger.Unknown:
			return ledger.RefuseState("doubt", try.Key(), e.State)
		}
		e.State, e.alone = ledger.Unknown, ledger.TryID{}
		e.see(try)
		return t.saveEffect(e)
	})
}

// Withdraw implements [ledger.Store].
func (l *Ledger) Withdraw(ctx context.Context, try ledger.Try) (bool, error) {
	return written(ctx, l.e, "withdraw", phaseOther, func(t *txn) (gone bool, err error) {
		if err := l.allowed(t, "withdraw", try); err != nil {
			return false, err
		}
		e, err := t.effect(try.Key())
		switch {
		case err != nil:
			return false, err
		case e == nil:
			return true, nil
		case e.State != ledger.Pending || e.alone != try.ID || e.alone == ledger.TryID{}:
			return false, nil
		case e.DeniedBefore(): // a person's word stays listed
			e.State, e.alone = ledger.Denied, ledger.TryID{}
			return true, t.saveEffect(e)
		}
		_, err = t.s.exec("DELETE FROM twice_effect WHERE job = ? AND step = ?", e.Key.Job[:], e.Key.Step)
		return true, err
	})
}

// Seal implements [ledger.Store].
func (l *Ledger) Seal(ctx context.Context, job queue.ID, token int64) ([]queue.Effect, error) {
	return written(ctx, l.e, "seal", phaseOther, func(t *txn) ([]queue.Effect, error) { return t.sealed(job, token) })
}

// sealed bars the job's effects up to a token and lists those there are.
func (t *txn) sealed(job queue.ID, token int64) ([]queue.Effect, error) {
	if _, err := t.s.exec("INSERT INTO twice_seal(job, token, at) VALUES (?, ?, ?) ON CONFLICT (job) DO UPDATE SET token = max(token, excluded.token), at = excluded.at",
		job[:], token, t.now); err != nil {
		return nil, err
	}
	entries, err := t.effects(job)
	return ledger.List(entries), err
}
