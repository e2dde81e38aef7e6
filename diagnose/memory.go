package diagnose

import (
	"maps"
	"slices"
	"time"

	"github.com/twicehq/twice/queue"
)

// memory is what a Watch knows from before the window: who ended with no word, and what is usual. It is bounded.
type memory struct {
	known map[string]Gone // each worker as it was last seen alive, by name
	gone  []Gone          // the oldest first
	usual map[[2]string]remembered
}

type remembered struct {
	Usual
	at time.Time
}

// How much is remembered, and for how long.
const (
	maxGone  = 256
	goneFor  = time.Hour
	maxUsual = 10_000
)

// take learns from a sample and adds to it what it remembers. A sample that does not know its workers teaches nothing.
func (m *memory) take(s *Sample, rules Rules) {
	if s.Down == "" && s.Unread == "" && s.NoPresence == "" {
		m.meet(s.Workers)
		m.learn(s)
	}
	if len(s.Queues) > 0 {
		m.gone = slices.DeleteFunc(m.gone, func(g Gone) bool { return s.Queues[0].AsOf.Sub(g.At) > max(goneFor, 2*rules.Young) })
	}
	s.Gone = slices.Clone(m.gone)
	for _, u := range m.usual {
		s.Usual = append(s.Usual, u.Usual)
	}
}

// meet compares who is there with who was.
func (m *memory) meet(workers []queue.Worker) {
	was := m.known
	m.known = make(map[string]Gone, len(workers))
	for i := range workers {
		w := &workers[i]
		is := departed(w)
		if w.Silent {
			m.bury(is)
			continue
		}
		if before, ok := was[w.Name]; ok && before.Started.Before(w.Started) {
			before.Restarted = true
			m.bury(before)
		}
		m.known[w.Name] = is
		m.gone = slices.DeleteFunc(m.gone, func(g Gone) bool { return g.Name == w.Name && g.Started.Equal(w.Started) })
		if believed(w).live() {
			for j := range m.gone {
				g := &m.gone[j]
				g.Replaced = g.Replaced || share(g.Queues, w.Queues) && share(g.Kinds, w.Kinds)
			}
		}
	}
}

// bury remembers a worker that ended with no word, once.
func (m *memory) bury(g Gone) {
	for _, o := range m.gone {
		if o.Name == g.Name && o.Started.Equal(g.Started) {
			return
		}
	}
	m.gone = append(m.gone, g)
	if over := len(m.gone) - maxGone; over > 0 {
		m.gone = slices.Delete(m.gone, 0, over)
	}
}

// learn keeps how long attempts of each kind take: a worker that starts anew does not know it yet. Where there is no room
// left, what nobody has told for an hour is forgotten.
func (m *memory) learn(s *Sample) {
	if m.usual == nil {
		m.usual = map[[2]string]remembered{}
	}
	if len(m.usual) >= maxUsual {
		maps.DeleteFunc(m.usual, func(_ [2]string, u remembered) bool { return s.At.Sub(u.at) > time.Hour })
	}
	for _, w := range s.Workers {
		for _, r := range w.Recent {
			if r.Measured < measured || r.P99 <= 0 {
				continue
			}
			at := [2]string{r.Queue, r.Kind}
			if _, known := m.usual[at]; known || len(m.usual) < maxUsual {
				m.usual[at] = remembered{Usual{Queue: r.Queue, Kind: r.Kind, P50: r.P50, P99: r.P99}, s.At}
			}
		}
	}
}

func share(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}
