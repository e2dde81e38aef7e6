package diagnose

import "fmt"

// deadLettersGrowing: jobs give up, more than one bad one.
func deadLettersGrowing(v *view) *match {
	if len(v.moments) < 2 {
		return nil
	}
	first, last := v.moments[0].depth, v.now().depth
	more, steps := last.Dead-first.Dead, 0
	for i := 1; i < len(v.moments); i++ {
		if v.moments[i].depth.Dead > v.moments[i-1].depth.Dead {
			steps++
		}
	}
	if more < growing && steps < 2 || more <= 0 {
		return nil
	}
	f := v.failures()
	m := &match{
		says:     fmt.Sprintf("Jobs give up: %s in %s, %d in all.", count(more, "more dead letter"), lasts(v.now().now.Sub(v.moments[0].now)), last.Dead),
		change:   "No job gives up for a minute.",
		do:       "Look at them by their error (twice dead list); mend the cause, then redrive them, or discard what is worth nothing.",
		evidence: []Evidence{jobs("dead_more", more, nil), jobs("dead", last.Dead, nil)},
	}
	if f.total > 0 {
		m.says += fmt.Sprintf(" The most frequent error: %q.", f.first.Text)
		m.evidence = append(m.evidence, Evidence{Name: "error", Value: float64(f.first.Count), Text: f.first.Text})
	}
	return m
}
