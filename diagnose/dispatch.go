package diagnose

import (
	"fmt"
	"time"
)

// stuckDispatch: jobs are late, a worker that handles their kind has free slots, and for a while it has begun nothing.
func stuckDispatch(v *view) *match {
	if v.last.NoPresence != "" || !v.lateNow() || v.claimable() <= 0 || len(v.due) == 0 {
		return nil
	}
	now := v.now()
	late := v.trailing(v.late)
	var idle []*member
	free, slots := 0, 0
	var poll time.Duration
	for _, m := range live(now.members) {
		slots += m.slots
		if !v.serving(m) || !v.idles(m, late) {
			continue
		}
		idle = append(idle, m)
		free += m.free()
		poll = max(poll, m.since(m.LastPoll, now.now))
	}
	if len(idle) == 0 {
		return nil
	}
	n := backlog(now.depth)
	return &match{
		says: fmt.Sprintf("%s due, the oldest for %s, and %d of %s are free, at %s; yet nothing has been claimed there for %s.", verb(n, "job", "is", "are"), lasts(now.wait()),
			free, count(int64(slots), "slot"), some(namesOf(idle)), lasts(v.rules.Absent)),
		change: "One of these workers claims a job.",
		do:     "More slots do not help. Start these workers again; look at their log for a claim loop that does not move, and at the engine for claims that find nothing.",
		evidence: append([]Evidence{jobs("due", n, nil), seconds("oldest_due", now.wait()), number("free_slots", float64(free), "slots"), number("slots", float64(slots), "slots"),
			workers("claim_nothing", len(idle), namesOf(idle)), seconds("since_last_poll", poll)}, v.dueKinds(v.due)...),
	}
}

// serving: some late kind is the worker's to handle.
func (v *view) serving(m *member) bool {
	for _, d := range v.due {
		if m.serves(d.Kind) && v.now().now.Sub(d.Oldest) > v.rules.Grace {
			return true
		}
	}
	return false
}

// idles: for as long as an absence must last, while jobs were late, the worker had free slots and began nothing.
func (v *view) idles(m *member, late []moment) bool {
	begun, told := m.begun()
	if !told {
		return false
	}
	var from time.Time
	for i := len(late) - 1; i >= 0; i-- {
		was := find(late[i].members, m.process())
		if was == nil || was.free() <= 0 || !was.live() {
			break
		}
		if n, _ := was.begun(); n != begun {
			break
		}
		from = late[i].now
	}
	return !from.IsZero() && v.now().now.Sub(from) >= v.rules.Absent
}

func find(members []*member, p process) *member {
	for _, m := range members {
		if m.process() == p {
			return m
		}
	}
	return nil
}
