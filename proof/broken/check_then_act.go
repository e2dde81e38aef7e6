package broken

import (
	"context"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/proof"
)

// CheckThenAct asks whether the order is charged, and charges it if not: two attempts can both get a no.
var CheckThenAct = Example{
	Name:  "check, then act",
	Why:   "between the question and the charge another attempt can ask and charge, too",
	Fix:   "let the remote decide by a key that is the same on every attempt: ledger.Once",
	Wrong: on(checkThenActWrong),
	Right: on(checkThenActRight),
	Found: proof.Zombie,
	Says:  []string{"made twice, not once: POST pay.test/charges", "stands still", "another attempt can do both"},
	By:    []proof.Sort{proof.Zombie, proof.Duplicate},
}

func checkThenActWrong(s *shop, ctx context.Context, job twice.Job[Order]) error {
	if paid, err := s.exists(ctx, charges, "order="+job.Args.ID); err != nil || paid {
		return err
	}
	return s.post(ctx, charges, job.Args.ID, "")
}

func checkThenActRight(s *shop, ctx context.Context, job twice.Job[Order]) error {
	return s.once(ctx, "charge", charges, job.Args.ID)
}
