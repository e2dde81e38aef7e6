package broken

import (
	"context"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/proof"
)

// TwoEffectsInOneStep charges and mails in one step of the ledger, which can be asked only about the one.
var TwoEffectsInOneStep = Example{
	Name:  "two effects in one step",
	Why:   "after a crash between the two the gateway says that the charge was made, the step counts as done, and the mail is never sent",
	Fix:   "a step for each effect",
	Wrong: on(twoEffectsWrong),
	Right: on(twoEffectsRight),
	Found: proof.Crash,
	Says:  []string{"made not at all, not once: POST mail.test/mails", "1 → nothing"},
	By:    []proof.Sort{proof.Crash, proof.Lost, proof.Error, proof.Redrive, proof.SecondCrash},
}

func twoEffectsWrong(s *shop, ctx context.Context, job twice.Job[Order]) error {
	_, err := ledger.Once(ctx, s.ledger, ledger.Effect[string]{
		Step: "charge-and-mail",
		Do: func(ctx context.Context, key string) (string, error) {
			if err := s.post(ctx, charges, job.Args.ID, key); err != nil {
				return "", err
			}
			return job.Args.ID, s.post(ctx, mails, job.Args.ID, key)
		},
		Confirm: func(ctx context.Context, key string) (string, bool, error) {
			made, err := s.exists(ctx, charges, "key="+key)
			return job.Args.ID, made, err
		},
		KeyLife: 24 * time.Hour,
	})
	return err
}

func twoEffectsRight(s *shop, ctx context.Context, job twice.Job[Order]) error {
	if err := s.once(ctx, "charge", charges, job.Args.ID); err != nil {
		return err
	}
	return s.once(ctx, "mail", mails, job.Args.ID)
}
