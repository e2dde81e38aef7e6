package proof

import (
	"context"

	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// Tx is a transaction of data in memory, with the kit's ledger beside them: see [Outside.Begin]. It serves one
// goroutine. Where its attempt crashes, it is as if it had never begun.
type Tx struct {
	o       *Outside
	tx      *memory.LedgerTx
	changes int
}

var _ ledger.Tx = (*Tx)(nil)

// Change adds a change of the data: it is made by Commit, or never.
func (t *Tx) Change(change func()) {
	t.changes++
	t.tx.Change(change)
}

// Recorded implements [ledger.Tx].
func (t *Tx) Recorded(ctx context.Context, try ledger.Try) (e ledger.Entry, found bool, err error) {
	err = t.o.around(ctx, ledgerCall("look up "+try.Step), func() (string, error) {
		e, found, err = t.tx.Recorded(ctx, try)
		switch {
		case err != nil:
			return outcome(err), err
		case found:
			return "it is recorded", nil
		}
		return "it is not recorded", nil
	})
	return e, found && err == nil, err
}

// Record implements [ledger.Tx].
func (t *Tx) Record(ctx context.Context, try ledger.Try, result []byte) error {
	return t.tx.Record(ctx, try, result) // nothing is seen of it before Commit
}

// Commit makes all changes and records all effects at once, or fails and does neither.
func (t *Tx) Commit(ctx context.Context) error {
	c := call{name: "commit", effect: t.changes > 0, lose: func() error {
		return &queue.Error{Op: "commit", Reason: queue.ErrUnknownOutcome, Cause: ErrLost}
	}}
	return t.o.around(ctx, c, func() (string, error) {
		err := t.tx.Commit(ctx)
		return outcome(err), err
	})
}

// Rollback forgets everything. After Commit it does nothing.
func (t *Tx) Rollback() { t.tx.Rollback() }
