package sqlite

import (
	"cmp"
	"context"
	"slices"

	"github.com/twicehq/twice/ledger"
)

// ledgerTx is the ledger inside a transaction of the caller's.
type ledgerTx struct {
	l  *Ledger
	in *inside
}

// Recorded implements [ledger.Tx].
func (x *ledgerTx) Recorded(ctx context.Context, try ledger.Try) (out ledger.Entry, found bool, err error) {
	err = x.in.with(ctx, func(t *txn) error {
		e, err := t.effect(try.Key())
		if err != nil {
			return err
		}
		refused, err := x.l.refusal(t, "effect", try)
		switch {
		case err != nil:
			return err
		case e == nil:
			return refused
		case e.State != ledger.Confirmed:
			return cmp.Or(refused, ledger.RefuseState("effect", try.Key(), e.State))
		case e.Differs(try):
			return ledger.RefuseOther("effect", try, e.Entry)
		}
		out, found = e.Entry, true
		if refused != nil {
			return nil
		}
		e.see(try)
		return t.saveEffect(e)
	})
	return out, found, err
}

// Record implements [ledger.Tx].
func (x *ledgerTx) Record(ctx context.Context, try ledger.Try, result []byte) error {
	return x.in.with(ctx, func(t *txn) error {
		refused, err := x.l.refusal(t, "record", try)
		if err != nil {
			return err
		}
		if refused != nil {
			return refused
		}
		e, err := t.effect(try.Key())
		if err != nil {
			return err
		}
		if e != nil {
			return ledger.RefuseState("record", try.Key(), e.State)
		}
		e = &entry{Entry: ledger.Entry{Key: try.Key(), State: ledger.Confirmed, Fingerprint: try.Fingerprint, Result: slices.Clone(result), FirstSentAt: instant(t.now)}}
		e.see(try)
		return t.saveEffect(e)
	})
}
