package broken

import (
	"context"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/proof"
)

// MapInMemory remembers in a map which jobs it has done: the map is gone with the process, and another process never had it.
var MapInMemory = Example{
	Name:  "map in memory",
	Why:   "what is in the memory of a process is lost when it ends, and unknown to the others",
	Fix:   "remember it where it outlives the process and all processes see it: ledger.Once",
	Wrong: on(mapInMemoryWrong),
	Right: on(mapInMemoryRight),
	Found: proof.Crash,
	Says:  []string{"made twice, not once: POST mail.test/mails", "A crash takes the memory"},
	By:    []proof.Sort{proof.Crash, proof.Lost, proof.Redrive, proof.Zombie, proof.SecondCrash, proof.Duplicate, proof.Late},
}

func mapInMemoryWrong(s *shop, ctx context.Context, job twice.Job[Order]) error {
	if s.seen[job.Args.ID] {
		return nil
	}
	if err := s.post(ctx, mails, job.Args.ID, ""); err != nil {
		return err
	}
	s.seen[job.Args.ID] = true
	return nil
}

func mapInMemoryRight(s *shop, ctx context.Context, job twice.Job[Order]) error {
	return s.once(ctx, "mail", mails, job.Args.ID)
}
