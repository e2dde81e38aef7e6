package memory

import (
	"context"
	"slices"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// LedgerTx is a transaction of somebody who keeps data in memory, for tests of what uses ledger.Within.
type LedgerTx struct {
	l       *Ledger
	try     ledger.Try
	steps   map[string][]byte
	changes []func()
}

var _ ledger.Tx = (*LedgerTx)(nil)

// Begin opens a transaction. Until Commit nobody sees what it does.
func (l *Ledger) Begin() *LedgerTx { return &LedgerTx{l: l, steps: map[string][]byte{}} }

// Change adds a change of the caller's data: it is made by Commit, or never.
func (t *LedgerTx) Change(change func()) { t.changes = append(t.changes, change) }

// Recorded implements [ledger.Tx].
func (t *LedgerTx) Recorded(ctx context.Context, try ledger.Try) (ledger.Entry, bool, error) {
	if result, ok := t.steps[try.Step]; ok && t.try.Lease.Job.ID == try.Lease.Job.ID {
		return ledger.Entry{Key: try.Key(), State: ledger.Confirmed, Result: slices.Clone(result), Now: t.l.now()}, true, nil
	}
	var out ledger.Entry
	err := t.l.guarded(ctx, "effect", try, func() error {
		e := t.l.find(try.Key())
		switch {
		case e == nil:
			return nil
		case e.State != ledger.Confirmed:
			return ledger.RefuseState("effect", try.Key(), e.State)
		case e.Differs(try):
			return ledger.RefuseOther("effect", try, e.Entry)
		}
		e.see(try)
		out = t.l.answer(e, try)
		return nil
	})
	if err != nil && ctx.Err() == nil {
		out, err = t.l.recorded(try, err)
	}
	return out, out.State == ledger.Confirmed, err
}

// Record implements [ledger.Tx]. A transaction is of one attempt.
func (t *LedgerTx) Record(ctx context.Context, try ledger.Try, result []byte) error {
	if len(t.steps) > 0 && t.try.Lease.ID != try.Lease.ID {
		return &queue.Error{Op: "record", Subject: try.Key().String(), Reason: queue.ErrInvalid, Detail: "a transaction is of one attempt"}
	}
	err := t.l.guarded(ctx, "record", try, func() error { return t.free(try.Key()) })
	if err == nil {
		t.try, t.steps[try.Step] = try, slices.Clone(result)
	}
	return err
}

// free fails where the effect has an entry already.
func (t *LedgerTx) free(key ledger.Key) error {
	if e := t.l.find(key); e != nil {
		return ledger.RefuseState("record", key, e.State)
	}
	return nil
}

// Commit makes everything at once, or fails and makes nothing.
func (t *LedgerTx) Commit(ctx context.Context) error {
	commit := func() error {
		id := t.try.Lease.Job.ID
		for step := range t.steps {
			if err := t.free(ledger.Key{Job: id, Step: step}); err != nil {
				return err
			}
		}
		for step, result := range t.steps {
			e := &effect{Entry: ledger.Entry{Key: ledger.Key{Job: id, Step: step}, State: ledger.Confirmed, Fingerprint: t.try.Fingerprint, Result: result, FirstSentAt: t.l.now()}}
			e.see(t.try)
			t.l.job(id).steps[step] = e
		}
		for _, change := range t.changes {
			change()
		}
		t.steps, t.changes = map[string][]byte{}, nil
		return nil
	}
	if len(t.steps) > 0 {
		return t.l.guarded(ctx, "commit", t.try, commit)
	}
	t.l.mu.Lock()
	defer t.l.mu.Unlock()
	return commit()
}

// Rollback forgets everything.
func (t *LedgerTx) Rollback() { t.steps, t.changes = map[string][]byte{}, nil }
