package explore

import (
	"fmt"

	"github.com/twicehq/twice/proof/history"
	"github.com/twicehq/twice/queue"
)

func differs(answer, got history.Answer, want, seen history.Job, err error) string {
	switch {
	case answer != got:
		return fmt.Sprintf("it is answered %q; the protocol says %q", got, answer)
	case err != nil:
		return err.Error()
	case want != seen:
		return fmt.Sprintf("the job is %s; the protocol says %s", describe(seen), describe(want))
	}
	return ""
}

// invariants checks what must hold of every step, whatever the rules of the actions say.
func invariants(before, after history.Job, a Act) string {
	revives := a.What == Redrive || a.What == Discard || a.What == Resolve || a.What == Prune
	switch {
	case before.Known && before.State.Ended() && !revives:
		return fmt.Sprintf("I5: a job that was %s changed", before.State)
	case after.Token < before.Token, after.Lease != "" && after.Lease != before.Lease && after.Token == before.Token:
		return fmt.Sprintf("I6: its token went from %d to %d", before.Token, after.Token)
	case (after.Lease != "") != (after.State == queue.Running):
		return fmt.Sprintf("I8: it is %s, and a lease of it is held: %v", after.State, after.Lease != "")
	case after.Counts.Redrives > queue.MaxRedrives:
		return "I7: it was redriven beyond the cap"
	}
	return ""
}

func describe(j history.Job) string {
	if !j.Known {
		return "not known"
	}
	text := fmt.Sprintf("%s at token %d", j.State, j.Token)
	for _, c := range []struct {
		n    int
		what string
	}{{j.Counts.Failures, "failed"}, {j.Counts.Crashes, "crashed"}, {j.Counts.Interruptions, "interrupted"}, {j.Counts.Snoozes, "snoozed"}, {j.Counts.Redrives, "redriven"}} {
		if c.n > 0 {
			text += fmt.Sprintf(", %s %d×", c.what, c.n)
		}
	}
	add := func(is bool, what string) {
		if is {
			text += ", " + what
		}
	}
	add(j.State == queue.Running && j.Until == 0, "its lease has run out")
	add(j.Due == still, "not due yet")
	add(j.Lone, "a suspect")
	add(j.Doubt, "in doubt")
	add(j.Last.Lease != "", fmt.Sprintf("and the settlement %s (%s) may be repeated", j.Last.State, j.Last.Outcome))
	return text
}
