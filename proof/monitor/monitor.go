package monitor

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"github.com/twicehq/twice/queue"
)

// Invariant is what must always hold, by the name under which it is counted. The names are those of package metrics.
type Invariant string

// The invariants.
const (
	Fence  Invariant = "fence"  // nothing runs or changes a job without holding its lease, and what ended stays ended
	Effect Invariant = "effect" // an effect is made once, and so is a job of a schedule for one instant
	Counts Invariant = "counts" // accepted = queued + running + done + dead + cancelled + pruned, as the engine counts
	Audit  Invariant = "audit"  // the same by scan, and jobs that were seen to end are as they ended
)

var invariants = [...]Invariant{Fence, Effect, Counts, Audit}

// Finding is one thing that must not happen.
type Finding struct {
	Invariant Invariant
	At        time.Time
	Job       queue.ID // zero: it concerns no single job
	Queue     string   // the same
	Says      string   // for people; payloads and results are not in it
}

// String is one line.
func (f Finding) String() string {
	subject := f.Queue
	if !f.Job.IsZero() {
		subject += " job " + f.Job.String()
	}
	return fmt.Sprintf("%s broken: %s: %s", f.Invariant, subject, f.Says)
}

// Config of a monitor; a zero field means its default.
type Config struct {
	// Broken is told of each finding as it is found, in the midst of the work and concurrently: it must be quick. Nil: nobody.
	Broken func(Finding)
	// Remember bounds how many jobs, effects and fires are each kept in mind: 10,000, about 10 MB in all. Beyond it the
	// oldest are forgotten, and what would have been found of these is not.
	Remember int
	// MaxFindings bounds the findings that Findings gives: the last 100. All are counted.
	MaxFindings int
	// KeepFor is how long the ledger surely keeps effects: 24 h. An effect that was confirmed longer ago may be made again.
	KeepFor time.Duration
	Now     func() time.Time // time.Now
}

// Monitor watches. Make one with New; everything of it may be called concurrently.
type Monitor struct {
	cfg Config

	mu      sync.Mutex
	counts  map[Invariant]int64
	found   []Finding
	jobs    *recent[queue.ID, watched]
	effects *recent[string, made]
	fires   *recent[string, queue.ID]
}

// New makes a monitor that has seen nothing. Nothing runs in the background.
func New(cfg Config) *Monitor {
	cfg.Remember, cfg.MaxFindings = cmp.Or(max(0, cfg.Remember), 10_000), cmp.Or(max(0, cfg.MaxFindings), 100)
	cfg.KeepFor = cmp.Or(max(0, cfg.KeepFor), 24*time.Hour)
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Monitor{cfg: cfg, counts: map[Invariant]int64{}, jobs: newRecent[queue.ID, watched](cfg.Remember),
		effects: newRecent[string, made](cfg.Remember), fires: newRecent[string, queue.ID](cfg.Remember)}
}

// Broken gives how often each invariant was found broken: all 0 in order.
func (m *Monitor) Broken() map[Invariant]int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := map[Invariant]int64{}
	for _, name := range invariants {
		all[name] = m.counts[name]
	}
	return all
}

// Findings gives the last ones, oldest first.
func (m *Monitor) Findings() []Finding {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Finding(nil), m.found...)
}

// note looks at what is remembered, under the lock, and reports what look found after it.
func (m *Monitor) note(look func() []Finding) {
	m.mu.Lock()
	found := look()
	for i := range found {
		found[i].At = m.cfg.Now()
		m.counts[found[i].Invariant]++
		m.found = append(m.found, found[i])
	}
	if over := len(m.found) - m.cfg.MaxFindings; over > 0 {
		m.found = append(m.found[:0], m.found[over:]...)
	}
	m.mu.Unlock()
	if m.cfg.Broken == nil {
		return
	}
	for _, f := range found {
		m.cfg.Broken(f)
	}
}
