package diagnose

import (
	"slices"
	"time"

	"github.com/twicehq/twice/queue"
)

// member is a worker that is subscribed to the queue, with numbers that can be.
type member struct {
	*queue.Worker
	slots, busy, deaf int
}

// believed corrects what a worker says of itself where it cannot be so. Slots that are busy beyond those it has do not
// count: a worker that drains has none.
func believed(w *queue.Worker) *member {
	m := &member{Worker: w, slots: min(max(0, w.Slots), 1<<20)}
	m.deaf = min(max(0, w.Deaf), m.slots)
	m.busy = min(max(0, w.Busy), m.slots-m.deaf)
	return m
}

// live: it claims jobs, or would.
func (m *member) live() bool { return !m.Silent && m.slots > 0 }

func (m *member) free() int { return m.slots - m.busy - m.deaf }

func (m *member) serves(kind string) bool { return slices.Contains(m.Kinds, kind) }

// since is how long ago something was, by the worker's own clock, at the moment now of the engine's. What lies in the
// future was just now; a zero time was never, and that is what the worker's start was.
func (m *member) since(t, now time.Time) time.Duration {
	if t.IsZero() {
		t = m.Started
	}
	silence := min(max(0, now.Sub(m.SeenAt)), time.Hour)
	if m.SaidAt.IsZero() {
		return max(0, now.Sub(t))
	}
	return max(0, m.SaidAt.Sub(t)) + silence
}

// recent gives what it told of a kind of a queue; nil: nothing.
func (m *member) recent(name, kind string) *queue.Recent {
	for i := range m.Recent {
		if r := &m.Recent[i]; r.Queue == name && r.Kind == kind {
			return r
		}
	}
	return nil
}

// begun counts the attempts that it has begun, of all queues and kinds; false: it does not tell.
func (m *member) begun() (int64, bool) {
	var n int64
	for _, r := range m.Recent {
		n += max(0, r.Begun)
	}
	return n, !m.SaidAt.IsZero()
}

// process names one run of a worker: a name may be used again.
type process struct {
	name    string
	started int64
}

func (m *member) process() process { return process{m.Name, m.Started.UnixNano()} }

func live(members []*member) []*member {
	var all []*member
	for _, m := range members {
		if m.live() {
			all = append(all, m)
		}
	}
	return all
}

// servedBy reports whether a live one among them has handlers for the kind.
func servedBy(members []*member, kind string) bool {
	return slices.ContainsFunc(members, func(m *member) bool { return m.live() && m.serves(kind) })
}

func namesOf(members []*member) []string {
	var names []string
	for _, m := range members[:min(len(members), MaxNamed)] {
		names = append(names, m.Name)
	}
	return names
}
