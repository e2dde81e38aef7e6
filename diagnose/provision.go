package diagnose

import (
	"fmt"
	"time"
)

// underProvisioned: for a while jobs have been late and the slots full; jobs are done, but more came than was done: in most
// steps, or over a window at whose end a job has waited for two. A burst is one step or two, and then it falls. Where some
// of the workers may yet turn out to be stuck, it is too early to say.
func underProvisioned(v *view) *match {
	late := v.trailing(v.late)
	c := v.capacity()
	if c == nil || len(late) < 2 || late[len(late)-1].now.Sub(late[0].now) < v.rules.Absent || c.Completions <= 0 || c.Utilisation < full || !v.completing() || len(v.suspects()) > 0 {
		return nil
	}
	t := tradeOf(late)
	done := t.endings
	if c.Estimated {
		done = c.Completions
	}
	batches := len(late) == v.rules.Window && v.now().wait() > 2*time.Duration(v.rules.Window)*v.rules.Every
	if t.arrivals <= done || 2*t.rising() <= len(t.steps) && !batches {
		return nil
	}
	needed := max(c.Needed, c.Slots+1)
	says := fmt.Sprintf("Too few slots: jobs come at %s and are done at %s, with %.0f %% of %s busy; %s due, the oldest for %s. It takes %s.",
		rate(t.arrivals), rate(done), 100*c.Utilisation, count(int64(c.Slots), "slot"),
		verb(c.Backlog, "job", "is", "are"), lasts(v.now().wait()), count(int64(needed), "slot"))
	if !c.DrainedBy.IsZero() {
		says += " With them the backlog would be gone in " + lasts(c.DrainedBy.Sub(v.now().now)) + "."
	}
	return &match{
		says:     says,
		change:   "No more comes than is done.",
		do:       fmt.Sprintf("Run more workers, or raise Concurrency, to %s in all; or make the jobs quicker: they take %s each.", count(int64(needed), "slot"), lasts(c.MeanRun)),
		evidence: v.load(c),
	}
}

// catchingUp: jobs are late, jobs are done, and in most steps the backlog falls.
func catchingUp(v *view) *match {
	c := v.capacity()
	if !v.lateNow() || c == nil || c.Completions <= 0 || !v.completing() {
		return nil
	}
	t := tradeOf(v.trailing(v.late))
	if len(t.steps) == 0 || 2*t.rising() > len(t.steps) {
		return nil
	}
	says := "Late, and catching up"
	if c.Arrivals >= c.Completions {
		says = "Late after a batch, and catching up"
	}
	says = fmt.Sprintf("%s: within the window jobs were done at %s and came at %s; %s due, the oldest for %s.", says, rate(c.Completions), rate(c.Arrivals),
		verb(c.Backlog, "job", "is", "are"), lasts(v.now().wait()))
	if !c.Drained.IsZero() {
		says += " At this pace the backlog is gone in " + lasts(c.Drained.Sub(v.now().now)) + "."
	}
	return &match{well: true, says: says, change: "The backlog is gone, or grows again.", evidence: v.load(c)}
}

func (v *view) load(c *Capacity) []Evidence {
	return []Evidence{number("arrivals", c.Arrivals, "/s"), number("completions", c.Completions, "/s"), seconds("mean_run", c.MeanRun),
		number("slots", float64(c.Slots), "slots"), number("utilisation", 100*c.Utilisation, "%"), number("slots_needed", float64(c.Needed), "slots"),
		jobs("due", c.Backlog, nil), seconds("oldest_due", v.now().wait()), seconds("drained_in", gap(v.now().now, c.Drained)), seconds("drained_in_with_these_slots", gap(v.now().now, c.DrainedBy))}
}

func gap(from, to time.Time) time.Duration {
	if to.IsZero() {
		return 0
	}
	return to.Sub(from)
}
