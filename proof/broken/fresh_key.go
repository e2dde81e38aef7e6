package broken

import (
	"context"
	"crypto/rand"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/proof"
)

// FreshKey gives the remote an idempotency key, and a new one on each attempt.
var FreshKey = Example{
	Name:  "a new key on each attempt",
	Why:   "the remote honours keys, and never sees the same one twice",
	Fix:   "use the key that ledger.Once gives: it is made of the job's id and the step's name",
	Wrong: on(freshKeyWrong),
	Right: on(freshKeyRight),
	Found: proof.Crash,
	Says:  []string{"made twice, not once: POST pay.test/charges", "An effect outside goes through ledger.Once"},
	By:    []proof.Sort{proof.Crash, proof.Lost, proof.Redrive, proof.Zombie, proof.SecondCrash, proof.Duplicate, proof.Late},
}

func freshKeyWrong(s *shop, ctx context.Context, job twice.Job[Order]) error {
	return s.post(ctx, charges, job.Args.ID, rand.Text())
}

func freshKeyRight(s *shop, ctx context.Context, job twice.Job[Order]) error {
	return s.once(ctx, "charge", charges, job.Args.ID)
}
