package diagnose

import (
	"fmt"

	"github.com/twicehq/twice/queue"
)

// brokerDown: the engine did not serve the last sample. It says nothing of the queue, whose counts are not known.
func brokerDown(v *view) *match {
	if v.last.Down == "" {
		return nil
	}
	return &match{
		says:     "The engine serves nobody: " + v.last.Down + ". What the queue holds is not known.",
		change:   "The engine answers again.",
		do:       "Bring the engine back. Workers go on by themselves within 5 s; producers get an error meanwhile.",
		evidence: []Evidence{{Name: "engine_error", Text: v.last.Down}},
	}
}

// noData: the engine serves, and yet there are no counts to judge by, or only old ones.
func noData(v *view) *match {
	m := &match{change: "Counts of the queue come again.", do: "Look why the engine's counts cannot be read: its version, its rights, its log."}
	switch {
	case v.last.Unread != "":
		m.says = "The engine serves, but its counts cannot be read: " + v.last.Unread + "."
		m.evidence = []Evidence{{Name: "read_error", Text: v.last.Unread}}
	case len(v.moments) == 0:
		m.says = "There are no counts of this queue."
		m.evidence = []Evidence{number("samples", 0, "")}
	case v.stale():
		age := v.last.At.Sub(v.now().depth.AsOf)
		n := v.unchanged()
		m.says = fmt.Sprintf("The engine gives the same old counts again: they are of one moment in the last %d samples.", n)
		m.evidence = []Evidence{number("samples_of_one_moment", float64(n), ""), seconds("counts_age", max(0, age))}
	default:
		return nil
	}
	return m
}

// stale: counts are of the same moment for longer than they may be old.
func (v *view) stale() bool {
	return float64(v.unchanged()-1)*v.rules.Every.Seconds() > 2*queue.MaxCountAge.Seconds()+v.rules.Every.Seconds()
}

// unchanged is how many of the last samples have counts of one moment.
func (v *view) unchanged() int {
	return len(v.trailing(func(m moment) bool { return m.depth.AsOf.Equal(v.now().depth.AsOf) }))
}
