package diagnose

import (
	"fmt"
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
// of its kind. Where jobs are late and attempts of the kind run into their timeout, those that run meanwhile are on their way there.
func (v *view) stuck(m *member, p queue.Progress) (age, quiet time.Duration, is bool) {
	now := v.now().now
	age, quiet = m.since(p.Since, now), v.quiet(m, p.Kind)
	moved := age
	if !p.Moved.IsZero() {
		moved = min(age, m.since(p.Moved, now))
	}
	far, known := v.far(p.Kind)
	if all := v.moves()[p.Kind]; all != nil && all.timedOut > 0 && v.lateNow() {
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
