package explore

import (
	"fmt"

	"github.com/twicehq/twice/proof/history"
	"github.com/twicehq/twice/queue"
)

// Row is what the engine keeps of the job. The instants are 0 where time is not explored.
type Row struct {
	history.Job
	Listed    uint8 // on a job that is dead or cancelled: the steps that were made
	Now, Mark int64 // the engine's clock and its mark
	Fresh     int64 // fresh_at
	Spared    bool  // its lease was given one more ttl after a silence, and its holder was not heard since
}

// engines are what is explored as rows.
type engines struct {
	make   Make
	bounds Bounds
}

func (e engines) create() (driven[Row], error) { return newWorld(e.make, e.bounds) }

func (e engines) start() Row {
	if e.bounds.Instants > 0 {
		return Row{Now: 1}
	}
	return Row{}
}

func (e engines) acts(r Row) []Act { return acts(r, e.bounds) }

func (e engines) rule(r Row, a Act) (history.Answer, Row) { return rule(r, a, e.bounds) }

// plain: which lease is held, which settlement would be a repeated one, and whether its lease was spared, is found only
// by trying.
func (e engines) plain(r Row) Row {
	r.Lease, r.Last, r.Spared = "", history.End{}, false
	return r
}

func (e engines) breaks(before, after Row, a Act) string {
	revives := a.What == Redrive || a.What == Discard || a.What == Resolve || a.What == Prune || a.What == Reap
	switch {
	case before.Known && before.State.Ended() && !revives && before.Job != after.Job:
		return fmt.Sprintf("I5: a job that was %s changed", before.State)
	case after.Token < before.Token, after.Lease != "" && after.Lease != before.Lease && after.Token == before.Token:
		return fmt.Sprintf("I6: its token went from %d to %d", before.Token, after.Token)
	case (after.Lease != "") != (after.State == queue.Running):
		return fmt.Sprintf("I8: it is %s, and a lease of it is held: %v", after.State, after.Lease != "")
	case after.Counts.Redrives > queue.MaxRedrives:
		return "I7: it was redriven beyond the cap"
	case after.Mark > max(0, after.Now-e.bounds.Horizon):
		return "I10: the mark is nearer than effects are kept"
	case after.Known && before.Known && after.Fresh < before.Fresh:
		return "it is less fresh than it was"
	}
	return ""
}

func (e engines) tell(r Row) string {
	text := "the job is " + describe(r.Job)
	if r.Listed > 0 {
		text += ", and lists" + steptext(r.Listed)
	}
	if r.Spared {
		text += ", and its lease was spared"
	}
	if e.bounds.Instants > 0 {
		if r.Known {
			text += fmt.Sprintf(", fresh at %d", r.Fresh)
		}
		text += fmt.Sprintf(" (it is %d, the mark is %d)", r.Now, r.Mark)
	}
	return text
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
