package diagnose

import (
	"fmt"
	"slices"
	"strings"
)

// healthy: nothing is late, or it has not been so for long and jobs are done.
func healthy(v *view) *match {
	now, c := v.now(), v.capacity()
	d := now.depth
	if backlog(d) == 0 && d.Running == 0 && v.trade().arrivals == 0 && v.trade().endings == 0 {
		return nil // idle
	}
	if v.lateNow() && (c == nil || c.Completions <= 0 || len(v.trailing(v.late)) == len(v.moments) || v.lasting(v.trailing(v.late))) {
		return nil
	}
	if !v.lateNow() && d.Expired.N > 0 && v.lasting(v.trailing(func(m moment) bool { return m.depth.Expired.N > 0 })) {
		return nil
	}
	if v.unknown() != "" {
		return nil
	}
	m := &match{well: true, change: fmt.Sprintf("A job is due for more than %s.", lasts(v.rules.Grace)),
		evidence: []Evidence{jobs("due", backlog(d), nil), seconds("oldest_due", now.wait()), jobs("running", d.Running, nil)}}
	waits := "nothing waits"
	if n := backlog(d); n > 0 {
		waits = fmt.Sprintf("%s due, the oldest for %s", verb(n, "job", "is", "are"), lasts(now.wait()))
	}
	if c == nil {
		m.says = fmt.Sprintf("All is well: %s.", waits)
		return m
	}
	m.says = fmt.Sprintf("All is well: jobs come at %s and are done at %s, with %.0f %% of %s busy; %s.", rate(c.Arrivals), rate(c.Completions),
		100*c.Utilisation, count(int64(c.Slots), "slot"), waits)
	m.evidence = v.load(c)
	return m
}

// idle: there is nothing to do.
func idle(v *view) *match {
	d := v.now().depth
	if backlog(d) > 0 || d.Running > 0 || v.unknown() != "" {
		return nil
	}
	says := "Nothing is due, runs or comes."
	if n := d.Queued; n > 0 {
		says = fmt.Sprintf("Nothing is due or runs; %s for later.", verb(n, "job", "waits", "wait"))
	}
	return &match{well: true, says: says, change: "A job comes.",
		evidence: []Evidence{jobs("due", 0, nil), jobs("waiting", d.Queued, nil), workers("live", len(live(v.now().members)), namesOf(live(v.now().members)))}}
}

// unknown says what looks wrong though no verdict fits: a person should look, and nobody should guess.
func (v *view) unknown() string {
	f, all := v.failures(), v.all()
	if tries := all.done + all.failed; f.total >= repeated+1 && all.done == 0 && tries > 0 {
		return fmt.Sprintf("all %s failed, but of too few jobs to say whether it is them or something that all depend on", count(all.failed, "attempt"))
	}
	return ""
}

// undetermined says what is missing.
func undetermined(v *view) *match {
	now := v.now()
	var missing []string
	lack := func(is bool, what string) {
		if is {
			missing = append(missing, what)
		}
	}
	lack(v.last.NoPresence != "", "who works is not known: "+v.last.NoPresence)
	lack(len(v.moments) < v.rules.Window, fmt.Sprintf("more samples: there are %d of %d", len(v.moments), v.rules.Window))
	lack(v.last.WorkersOmitted > 0, fmt.Sprintf("%d workers are left out", v.last.WorkersOmitted))
	lack(v.lateNow() && len(v.due) == 0, "which kinds are due")
	for _, kind := range v.unmeasured() {
		missing = append(missing, "how long "+kind+" usually takes: too few have been done")
	}
	if names := v.suspects(); len(names) > 0 {
		missing = append(missing, "whether "+some(names)+" still work: for longer than these jobs usually take they have done none")
	}
	if u := v.unknown(); u != "" {
		missing = append(missing, u)
	}
	if len(missing) == 0 {
		missing = append(missing, "the counts fit no verdict")
	}
	says := "It cannot be told how this queue fares"
	if v.lateNow() {
		says = fmt.Sprintf("%s due, the oldest for %s, and it cannot be told why", verb(backlog(now.depth), "job", "is", "are"), lasts(now.wait()))
	}
	return &match{
		says:   says + ": " + strings.Join(missing, "; ") + ".",
		change: "What is missing becomes known.",
		do:     "Watch on for a minute. If it stays so, look at the workers (twice workers) and the newest jobs of the queue (twice jobs).",
		evidence: []Evidence{jobs("due", backlog(now.depth), nil), seconds("oldest_due", now.wait()), workers("live", len(live(now.members)), namesOf(live(now.members))),
			{Name: "missing", Value: float64(len(missing)), Text: strings.Join(missing, "; ")}},
	}
}

// unmeasured gives the kinds of which attempts run for long, and nobody knows how long they usually do; some of them.
func (v *view) unmeasured() (kinds []string) {
	for _, m := range live(v.now().members) {
		for _, p := range m.Running {
			if _, known := v.far(p.Kind); !known && m.since(p.Since, v.now().now) > v.rules.Far && len(kinds) < 5 && !slices.Contains(kinds, p.Kind) {
				kinds = append(kinds, p.Kind)
			}
		}
	}
	return kinds
}
