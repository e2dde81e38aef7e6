package diagnose

import (
	"fmt"
	"time"

	"github.com/twicehq/twice/queue"
)

// crashLoop: workers of the queue die soon after their start, again and again. A host that takes many with it is no loop, and
// neither is a deploy: those had lived, or said goodbye.
func crashLoop(v *view) *match {
	if v.last.NoPresence != "" {
		return nil
	}
	now := v.now().now
	var names []string
	var held []queue.ID
	var last, first time.Time
	var lived time.Duration
	n := 0
	for _, g := range v.gone {
		if g.Lived < 0 || g.Lived > v.rules.Young || now.Sub(g.At) > 2*v.rules.Young {
			continue
		}
		n++
		names = append(names, g.Name)
		held = append(held, g.Jobs...)
		lived = max(lived, g.Lived)
		if g.At.After(last) {
			last = g.At
		}
		if first.IsZero() || g.Started.Before(first) {
			first = g.Started
		}
	}
	// One after the other: those that die together were not started again.
	if n < v.rules.Loop || last.Sub(first) < lived+lived/2 || now.Sub(last) > v.rules.Young/2 {
		return nil
	}
	all := v.all()
	return &match{
		says: fmt.Sprintf("Workers of this queue die soon after their start: %d in the last %s, none lived longer than %s. At their last word they ran %s.",
			n, lasts(2*v.rules.Young), lasts(lived), count(int64(len(held)), "job")),
		change: fmt.Sprintf("No worker dies for %s.", lasts(v.rules.Young/2)),
		do: "Look at the last lines of a dead worker's log, and at its memory. If a job kills it, that job ends by itself at its crash cap; " +
			"set Config.Lone so that suspects run in a process of their own.",
		evidence: []Evidence{workers("died_young", n, names), seconds("longest_life", lived), jobs("in_their_hands", int64(len(held)), held),
			number("attempts_after_a_crash", float64(all.afterCrash), ""), jobs("leases_run_out", int64(v.now().depth.Expired.N), nil)},
	}
}
