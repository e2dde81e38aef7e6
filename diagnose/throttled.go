package diagnose

import "fmt"

// throttled: jobs are late since limits hold them back.
func throttled(v *view) *match {
	n := backlog(v.now().depth)
	if !v.lateNow() || v.held.Jobs <= 0 || 2*int64(v.held.Jobs) < n {
		return nil
	}
	return &match{
		says: fmt.Sprintf("%s due, the oldest for %s, and a limit holds %d of them back: %s.", verb(n, "job", "is", "are"), lasts(v.now().wait()),
			v.held.Jobs, v.held.Limit),
		change:   "The limit is raised, or less comes.",
		do:       "If the limit is meant, nothing. Else raise it. More slots do not help.",
		evidence: []Evidence{jobs("due", n, nil), jobs("held_back", int64(v.held.Jobs), nil), seconds("oldest_due", v.now().wait()), {Name: "limit", Value: float64(v.held.Jobs), Text: v.held.Limit}},
	}
}
