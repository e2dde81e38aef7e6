package main

import (
	"fmt"

	"github.com/twicehq/twice/queue"
)

// next tells what will happen to a job by itself, or what a person can do, as commands to copy.
func (l looked) next() []string {
	id := l.Job.ID.String()
	switch l.State {
	case queue.Queued:
		if l.paused {
			return []string{
				"nothing begins while its queue is paused",
				fmt.Sprintf(`twice queue resume %s --why "…"`, l.Job.Queue),
			}
		}
		return []string{
			"a worker that knows its kind takes it when it is due; if none does: twice workers",
			fmt.Sprintf(`to stop it: twice cancel %s --why "…"`, id),
		}
	case queue.Running:
		return []string{
			"if its worker falls silent, it runs again after its lease",
			fmt.Sprintf(`to stop it: twice cancel %s --why "…"`, id),
		}
	case queue.Done:
		return []string{"nothing: it is done, and the same request made again is answered as a duplicate of it"}
	case queue.Cancelled:
		return []string{"nothing: it has ended; to run it after all, hand it in under another key"}
	}
	giveUp := fmt.Sprintf(`to give it up: twice dead discard %s --why "…"`, id)
	if l.Reason != queue.ReasonDoubt {
		if l.Counts.Redrives >= queue.MaxRedrives {
			return []string{fmt.Sprintf("it was redriven %d times and can be no more", l.Counts.Redrives), giveUp}
		}
		return []string{
			"it waits for a person. Mend the cause, then",
			fmt.Sprintf(`to run it again: twice dead redrive %s --why "…"`, id), giveUp,
		}
	}
	steps := l.doubts()
	if len(steps) == 0 {
		return []string{"it is in doubt, and its ledger cannot be seen from here: name it in TWICE_LEDGER", giveUp}
	}
	out := []string{"nobody can tell whether these effects happened. Ask the other side for the key, then answer each:"}
	for _, step := range steps {
		out = append(out,
			fmt.Sprintf("%s (key %s/%s)", step, id, step),
			fmt.Sprintf(`  it did:     twice dead resolve %s %s --happened --result JSON --why "…"`, id, step),
			fmt.Sprintf(`  it did not: twice dead resolve %s %s --did-not-happen --why "…"`, id, step))
	}
	return append(out, giveUp)
}
