package diagnose

import "fmt"

// paused: a person stopped the queue. It is well as long as nothing waits for its return.
func paused(v *view) *match {
	d := v.now().depth
	if !d.Paused {
		return nil
	}
	n := backlog(d)
	m := &match{
		well:   n == 0,
		says:   "The queue is paused, and nothing is due.",
		change: "Somebody resumes the queue.",
		evidence: []Evidence{jobs("due", n, nil), seconds("oldest_due", v.now().wait()),
			number("running", float64(d.Running), "jobs")},
	}
	if n > 0 {
		m.says = fmt.Sprintf("The queue is paused: %s due, the oldest for %s.", verb(n, "job", "is", "are"), lasts(v.now().wait()))
		m.do = "Find who paused it and why (twice audit shows the trail), then resume it."
	}
	return m
}

// verb writes a number with its noun and verb: 1 job is, 2 jobs are.
func verb(n int64, noun, one, more string) string {
	if n == 1 {
		return count(n, noun) + " " + one
	}
	return count(n, noun) + " " + more
}
