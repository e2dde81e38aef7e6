package broken

import (
	"context"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/proof"
)

// MailWithoutKey sends a mail as the last thing it does, which looks safe: but the job is not done before the engine was told.
var MailWithoutKey = Example{
	Name:  "mail without a key",
	Why:   "the mail is sent, and the process ends before the job is settled: it is sent again",
	Fix:   "give the mail service a key that is the same on every attempt: ledger.Once",
	Wrong: on(mailWithoutKeyWrong),
	Right: on(mailWithoutKeyRight),
	Found: proof.Crash,
	Says:  []string{"made twice, not once: POST mail.test/mails", "1 → 2", "ledger.Once"},
	By:    []proof.Sort{proof.Crash, proof.Lost, proof.Redrive, proof.Zombie, proof.SecondCrash, proof.Duplicate, proof.Late},
}

func mailWithoutKeyWrong(s *shop, ctx context.Context, job twice.Job[Order]) error {
	return s.post(ctx, mails, job.Args.ID, "")
}

func mailWithoutKeyRight(s *shop, ctx context.Context, job twice.Job[Order]) error {
	return s.once(ctx, "mail", mails, job.Args.ID)
}
