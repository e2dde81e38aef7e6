package diagnose

import (
	"fmt"
	"slices"

	"github.com/twicehq/twice/queue"
)

// noConsumer: jobs are late, and nobody was subscribed to their queue and kind for a while, alive or dead.
func noConsumer(v *view) *match {
	if v.last.NoPresence != "" || !v.lateNow() || len(v.fallen()) > 0 {
		return nil
	}
	now := v.now()
	alone := v.trailing(func(m moment) bool { return len(live(m.members)) == 0 })
	if v.lasting(alone) && now.depth.Expired.N == 0 {
		return &match{
			says:     fmt.Sprintf("Nobody serves this queue: %s due, the oldest for %s.", verb(backlog(now.depth), "job", "is", "are"), lasts(now.wait())),
			change:   "A worker that handles this queue's kinds starts.",
			do:       "Start a worker with handlers for these kinds, or look why none runs.",
			evidence: append([]Evidence{jobs("due", backlog(now.depth), nil), seconds("oldest_due", now.wait()), workers("subscribed", 0, nil)}, v.dueKinds(v.due)...),
		}
	}
	orphans := v.orphans()
	if len(orphans) == 0 || len(live(now.members)) == 0 {
		return nil
	}
	var kinds []string
	var n int64
	for _, d := range orphans {
		kinds, n = append(kinds, d.Kind), n+int64(d.N)
	}
	return &match{
		says: fmt.Sprintf("Nobody handles %s: at least %s due, the oldest for %s. Other kinds of this queue are served.", some(kinds),
			verb(n, "such job", "is", "are"), lasts(now.now.Sub(orphans[0].Oldest))),
		change:   "A worker with a handler for " + some(kinds) + " starts.",
		do:       "Deploy the worker that handles it; if there is none any more, cancel these jobs.",
		evidence: append(v.dueKinds(orphans), workers("subscribed_to_the_queue", len(live(now.members)), namesOf(live(now.members)))),
	}
}

// orphans gives the late kinds that no live worker of the queue was subscribed to for a while, the latest first.
func (v *view) orphans() []Due {
	var all []Due
	for _, d := range v.due {
		unserved := v.trailing(func(m moment) bool { return !servedBy(m.members, d.Kind) })
		if v.now().now.Sub(d.Oldest) > v.rules.Absent && v.lasting(unserved) {
			all = append(all, d)
		}
	}
	slices.SortFunc(all, func(a, b Due) int { return a.Oldest.Compare(b.Oldest) })
	return all
}

func (v *view) dueKinds(all []Due) []Evidence {
	var told []Evidence
	for _, d := range all[:min(len(all), MaxNamed)] {
		e := jobs("due_of_kind", int64(d.N), d.Jobs)
		e.Text = d.Kind
		told = append(told, e)
	}
	return told
}

// consumerDead: whoever was subscribed to the queue, or to a kind that is late, ended with no word, and nobody took its place.
func consumerDead(v *view) *match {
	if v.last.NoPresence != "" {
		return nil
	}
	now, dead := v.now(), v.fallen()
	expired := int64(now.depth.Expired.N)
	if len(live(now.members)) == 0 && len(dead) == 0 && expired > 0 && v.lasting(v.trailing(func(m moment) bool { return len(live(m.members)) == 0 && m.depth.Expired.N > 0 })) {
		return &match{
			says:     fmt.Sprintf("Nobody serves this queue any more: the leases of %s ran out with no word from whoever held them.", count(expired, "running job")),
			change:   "A worker of this queue starts; it takes these jobs over.",
			do:       "Find out what ended the workers (out of memory, a crash, a lost host), and start them again.",
			evidence: []Evidence{jobs("leases_run_out", expired, nil), jobs("due", backlog(now.depth), nil), workers("live", 0, nil)},
		}
	}
	if len(dead) == 0 || len(v.trailing(func(m moment) bool { return len(live(m.members)) == 0 })) == 1 && len(v.moments) > 1 {
		return nil // after an engine was away its workers need a moment to be heard of again
	}
	var names []string
	var held []queue.ID
	last := dead[0].At
	for _, g := range dead {
		names, held = append(names, g.Name), append(held, g.Jobs...)
		if g.At.After(last) {
			last = g.At
		}
	}
	silence := max(0, now.now.Sub(last))
	return &match{
		says: fmt.Sprintf("%s fell silent: %s, last heard of %s ago. Nobody else serves %s; %s due.", count(int64(len(dead)), "worker"), some(names),
			lasts(silence), v.unserved(dead), verb(backlog(now.depth), "job", "is", "are")),
		change: "A worker of this queue starts, or one of these is heard of again.",
		do:     "Find out what ended them (out of memory, a crash, a lost host, a partition), and start them again. Their jobs go on by themselves.",
		evidence: []Evidence{workers("silent", len(dead), names), seconds("silence", silence), jobs("due", backlog(now.depth), nil),
			jobs("leases_run_out", expired, nil), jobs("in_their_hands", int64(len(held)), held)},
	}
}

// unserved says what nobody serves.
func (v *view) unserved(dead []Gone) string {
	if len(live(v.now().members)) == 0 {
		return "this queue"
	}
	var kinds []string
	for _, g := range dead {
		for _, k := range g.Kinds {
			if !servedBy(v.now().members, k) && !slices.Contains(kinds, k) {
				kinds = append(kinds, k)
			}
		}
	}
	return some(kinds)
}

// fallen gives the dead in whose place nobody is: silent now, or remembered as such. Where others serve the queue, but not a
// kind of theirs, that kind must be late for them to count.
func (v *view) fallen() []Gone {
	if len(v.moments) == 0 {
		return nil
	}
	now := v.now()
	missed := func(kinds []string) bool {
		if len(live(now.members)) == 0 {
			return true
		}
		return slices.ContainsFunc(v.due, func(d Due) bool {
			return slices.Contains(kinds, d.Kind) && !servedBy(now.members, d.Kind) && now.now.Sub(d.Oldest) > v.rules.Grace
		})
	}
	var all []Gone
	for _, m := range now.members {
		if m.Silent && missed(m.Kinds) {
			all = append(all, departed(m.Worker))
		}
	}
	for _, g := range v.gone {
		known := slices.ContainsFunc(all, func(o Gone) bool { return o.Name == g.Name })
		if !known && !g.Restarted && !g.Replaced && missed(g.Kinds) {
			all = append(all, g)
		}
	}
	return all
}

// departed keeps what matters of a worker that is no more.
func departed(w *queue.Worker) Gone {
	g := Gone{Name: w.Name, Queues: w.Queues, Kinds: w.Kinds, Started: w.Started, At: w.SeenAt, Lived: -1}
	if !w.SaidAt.IsZero() && !w.Started.IsZero() {
		g.Lived = max(0, w.SaidAt.Sub(w.Started))
	}
	for _, p := range w.Running[:min(len(w.Running), MaxNamed)] {
		g.Jobs = append(g.Jobs, p.Job)
	}
	return g
}
