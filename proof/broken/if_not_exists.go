package broken

import (
	"context"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/proof"
)

// IfNotExists inserts a row where there is none, in two statements and without a unique index.
var IfNotExists = Example{
	Name:  "if not exists, without a unique index",
	Why:   "two attempts can both look before either has inserted, and the table takes both rows",
	Fix:   "a unique index, and ON CONFLICT DO NOTHING: the database looks and inserts in one",
	Wrong: onBase(ifNotExistsWrong),
	Right: onBase(ifNotExistsRight),
	Found: proof.Zombie,
	Says:  []string{"made twice, not once: SQL INSERT INTO parcels", "rows of parcels", "1 → 2", "a unique index"},
	By:    []proof.Sort{proof.Zombie, proof.Duplicate},
}

func ifNotExistsWrong(b *base, ctx context.Context, job twice.Job[Order]) error {
	if there, err := b.has(ctx, "parcels", job.Args.ID); err != nil || there {
		return err
	}
	_, err := b.db.ExecContext(ctx, "INSERT INTO parcels(order_id) VALUES (?)", job.Args.ID)
	return err
}

func ifNotExistsRight(b *base, ctx context.Context, job twice.Job[Order]) error {
	_, err := b.db.ExecContext(ctx, "INSERT INTO labels(order_id) VALUES (?) ON CONFLICT DO NOTHING", job.Args.ID)
	return err
}
