package broken

import (
	"context"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/proof"
)

// SendThenCommit sends a mail within a transaction: a rollback takes back the row, and no mail.
var SendThenCommit = Example{
	Name:  "send, then commit",
	Why:   "a transaction that does not commit takes its row back, and the mail stays sent: the next attempt finds no row",
	Fix:   "send through ledger.Once, whose intent is committed before; then write the row",
	Wrong: onBase(sendThenCommitWrong),
	Right: onBase(sendThenCommitRight),
	Found: proof.Crash,
	Says:  []string{"made twice, not once: POST mail.test/mails", "mail.test/mails o-17", "1 → 2"},
	By:    []proof.Sort{proof.Crash, proof.Lost, proof.Error, proof.Redrive, proof.SecondCrash},
}

func sendThenCommitWrong(b *base, ctx context.Context, job twice.Job[Order]) error {
	tx, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	added, err := tx.ExecContext(ctx, "INSERT INTO receipts(order_id) VALUES (?) ON CONFLICT DO NOTHING", job.Args.ID)
	if err != nil {
		return err
	}
	if n, err := added.RowsAffected(); err != nil || n == 0 {
		return err // it was sent before
	}
	if err := b.post(ctx, mails, job.Args.ID, ""); err != nil {
		return err
	}
	return tx.Commit()
}

func sendThenCommitRight(b *base, ctx context.Context, job twice.Job[Order]) error {
	if err := b.once(ctx, "mail", mails, job.Args.ID); err != nil {
		return err
	}
	_, err := b.db.ExecContext(ctx, "INSERT INTO receipts(order_id) VALUES (?) ON CONFLICT DO NOTHING", job.Args.ID)
	return err
}
