package broken

import (
	"context"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/proof"
)

// ChargeThenRecord charges, and then records that it did: what is done between the two is done again.
var ChargeThenRecord = Example{
	Name:  "charge, then record",
	Why:   "a process that ends between the charge and its record leaves no trace of the charge: the next attempt charges again",
	Fix:   "record the intent first, and charge with a key that is the same on every attempt: ledger.Once",
	Wrong: onBase(chargeThenRecordWrong),
	Right: onBase(chargeThenRecordRight),
	Found: proof.Crash,
	Says:  []string{"made twice, not once: POST pay.test/charges", "pay.test/charges o-17", "1 → 2", "ledger.Once"},
	By:    []proof.Sort{proof.Crash, proof.Lost, proof.Error, proof.Redrive, proof.Zombie, proof.SecondCrash, proof.Duplicate},
}

func chargeThenRecordWrong(b *base, ctx context.Context, job twice.Job[Order]) error {
	if paid, err := b.has(ctx, "charges", job.Args.ID); err != nil || paid {
		return err
	}
	if err := b.post(ctx, charges, job.Args.ID, ""); err != nil {
		return err
	}
	_, err := b.db.ExecContext(ctx, "INSERT INTO charges(order_id) VALUES (?)", job.Args.ID)
	return err
}

func chargeThenRecordRight(b *base, ctx context.Context, job twice.Job[Order]) error {
	if err := b.once(ctx, "charge", charges, job.Args.ID); err != nil {
		return err
	}
	_, err := b.db.ExecContext(ctx, "INSERT INTO charges(order_id) VALUES (?) ON CONFLICT DO NOTHING", job.Args.ID)
	return err
}
