package diagnose

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/twicehq/twice/queue"
)

// held is what holds the slots of a queue's workers without end.
type held struct {
	slots, stuck, deaf int
	workers            []string
	jobs               []queue.ID
	kinds              []string
	longest            time.Duration // that an attempt has run
	quiet              time.Duration // since the last was done where they are stuck
	usual              time.Duration // the longest p99 of these kinds; 0: not known
	timedOut           int64
}

// stuckHandler: the workers live, and yet a good part of their slots is taken by attempts that do not end: they run far
// longer than their kind usually takes, report no progress, and meanwhile that worker has done none of that kind. So
// one slow job among others that go on is none, and neither is a queue whose full slots do end their jobs.
func stuckHandler(v *view) *match {
	if v.last.NoPresence != "" {
		return nil
	}
	h := v.holding()
	all := h.stuck + h.deaf
	switch {
	case 4*all < h.slots || all == 0: // the rest goes on
		return v.futile()
	case h.deaf == 0 && all == 1 && (h.slots > 1 || !v.lateNow()): // one slow job
		return v.futile()
	}
	m := &match{
		change: "A job of these workers is done, or they are started again.",
		do: "More slots do not help. Look at what these jobs wait for (a stack dump of a worker shows it: send it SIGQUIT), give their calls timeouts, " +
			"and start the workers again: their jobs go back to the queue.",
		evidence: []Evidence{number("slots", float64(h.slots), "slots"), workers("stuck_slots", h.stuck, h.workers), number("deaf_slots", float64(h.deaf), "slots"),
			jobs("stuck_jobs", int64(len(h.jobs)), h.jobs), seconds("longest_run", h.longest), seconds("since_last_done", h.quiet),
			seconds("usual_p99", h.usual), jobs("due", backlog(v.now().depth), nil), number("timed_out", float64(h.timedOut), "")},
	}
	m.evidence[1].Unit = "slots"
	switch {
	case h.stuck == 0:
		m.says = fmt.Sprintf("%d of %s are lost to handlers that do not end, though their time is over (deaf).", h.deaf, count(int64(h.slots), "slot"))
	case h.usual > 0:
		m.says = fmt.Sprintf("%d of %s are held by jobs of %s that do not end: nothing has been done there for %s, while 99 %% of these jobs take at most %s.",
			all, count(int64(h.slots), "slot"), some(h.kinds), lasts(h.quiet), lasts(h.usual))
	default:
		m.says = fmt.Sprintf("%d of %s are held by jobs of %s that do not end: they run into their timeout, and none has been done for %s.",
			all, count(int64(h.slots), "slot"), some(h.kinds), lasts(h.quiet))
	}
	return m
}

// futile: for the whole window, which is far longer than usual, slots were busy and jobs late, and none was done, whoever
// held them: workers that lose their slots to deaf handlers end, and are started again. Those that failed, or whose
// worker ended with no word, did not end for another reason.
func (v *view) futile() *match {
	from, now := v.moments[0].now, v.now().now
	span, all := now.Sub(from), v.all()
	busy, _ := v.utilisation()
	late := 0
	for _, m := range v.moments {
		if v.late(m) {
			late++
		}
	}
	if !v.lateNow() || 2*late < len(v.moments) || span < v.rules.Far || all.done > 0 || all.failed > all.timedOut || busy < full/2 ||
		slices.ContainsFunc(v.gone, func(g Gone) bool { return !g.At.Before(from) }) {
		return nil
	}
	for _, kind := range slices.Sorted(maps.Keys(v.moves())) {
		m := v.moves()[kind]
		far, known := v.far(kind)
		if far > span || m.begun == 0 && m.timedOut == 0 || !known && m.timedOut < repeated {
			continue
		}
		usual := "they run into their timeout"
		if known {
			usual = "99 % of these jobs take at most " + lasts(v.usual[kind])
		}
		return &match{
			says: fmt.Sprintf("Handlers of %s do not end: none was done for %s, though %.0f %% of the slots were busy, and %s. %s due, the oldest for %s.", kind,
				lasts(span), 100*busy, usual, verb(backlog(v.now().depth), "job", "is", "are"), lasts(v.now().wait())),
			change: "A job of this kind is done.",
			do:     "More slots do not help. Look at what these jobs wait for, and give their calls timeouts that are shorter than the job's.",
			evidence: []Evidence{seconds("since_last_done", span), seconds("usual_p99", v.usual[kind]), number("begun", float64(m.begun), ""), number("done", 0, ""),
				number("timed_out", float64(m.timedOut), ""), number("utilisation", 100*busy, "%"), jobs("due", backlog(v.now().depth), nil)},
		}
	}
	return nil
}

func (v *view) holding() held {
	var h held
	now := v.now()
	for _, m := range live(now.members) {
		h.slots += m.slots
		h.deaf += m.deaf
		stuck := 0
		for _, p := range m.Running {
			if p.Queue != v.queue && p.Queue != "" {
				continue
			}
			age, quiet, is := v.stuck(m, p)
			if !is || (m.free() > 0 && !v.lateNow()) {
				continue
			}
			stuck++
			h.longest, h.quiet = max(h.longest, age), max(h.quiet, quiet)
			if u := v.usual[p.Kind]; u > h.usual {
				h.usual = u
			}
			if len(h.jobs) < MaxNamed {
				h.jobs = append(h.jobs, p.Job)
			}
			if !slices.Contains(h.kinds, p.Kind) {
				h.kinds = append(h.kinds, p.Kind)
			}
		}
		if n := len(m.Running); n > 0 && stuck == n {
			stuck = max(stuck, m.busy) // those that it did not name began later, and none ended
		}
		h.stuck += min(stuck, m.busy)
		if stuck > 0 || m.deaf > 0 {
			h.workers = append(h.workers, m.Name)
		}
	}
	for _, k := range h.kinds {
		if moved := v.moves()[k]; moved != nil {
			h.timedOut += moved.timedOut
		}
	}
	return h
}

// stuck reports whether a running attempt does not end: how long it has run, and for how long its worker has done none
// of its kind. Where attempts of the kind run into their timeout, those that run meanwhile are on their way there.
func (v *view) stuck(m *member, p queue.Progress) (age, quiet time.Duration, is bool) {
	now := v.now().now
	age, quiet = m.since(p.Since, now), v.quiet(m, p.Kind)
	moved := age
	if !p.Moved.IsZero() {
		moved = min(age, m.since(p.Moved, now))
	}
	far, known := v.far(p.Kind)
	if all := v.moves()[p.Kind]; all != nil && all.timedOut > 0 {
		return age, quiet, quiet > far && (p.Moved.IsZero() || moved > far)
	}
	return age, quiet, known && moved > far && quiet > far
}

// quiet is for how long a worker has done no job of the kind.
func (v *view) quiet(m *member, kind string) time.Duration {
	var done time.Time
	if r := m.recent(v.queue, kind); r != nil {
		done = r.LastDone
	}
	return m.since(done, v.now().now)
}

// completing: somewhere a job was done within the time after which it would take far longer than usual.
func (v *view) completing() bool {
	for _, m := range live(v.now().members) {
		for _, r := range m.Recent {
			if far, _ := v.far(r.Kind); r.Queue == v.queue && r.Done > 0 && v.quiet(m, r.Kind) <= far {
				return true
			}
		}
	}
	return false
}

// suspects gives the workers that will be stuck if they go on like this, where they are a good part of all: their slots are full,
// and each job in them had run for longer than such jobs usually take when they last told of it.
func (v *view) suspects() (names []string) {
	slots, all := 0, 0
	for _, m := range live(v.now().members) {
		all += m.slots
		if m.free() > 0 || len(m.Running) == 0 || slices.ContainsFunc(m.Running, func(p queue.Progress) bool { return !v.overdue(m, p) }) {
			continue
		}
		slots, names = slots+m.slots, append(names, m.Name)
	}
	if 4*slots < all || slots < 2 {
		return nil
	}
	return names
}

// overdue: an attempt had run for longer than usual, and not yet for so long that it would be stuck.
func (v *view) overdue(m *member, p queue.Progress) bool {
	far, known := v.far(p.Kind)
	age := m.since(p.Since, m.SeenAt)
	return known && age > v.usual[p.Kind] && age <= far
}
