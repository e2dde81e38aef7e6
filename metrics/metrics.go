package metrics

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

// Config of the metrics; a zero field means the default of its comment.
type Config struct {
	// Engine is whose counts are read; nil: none, and the global metrics are absent.
	Engine queue.Engine
	Queues []string // only these are read; nil: every queue that the engine has
	// MaxSeries bounds the pairs of queue and kind, and the queues, that have series of their own: 500. The rest is
	// shown under Other, and counted.
	MaxSeries int
	Patience  time.Duration // 2 s; how long Read waits for the engine
	// Durations is told of every wait and run, for libraries that keep histograms of their own. It is called once for
	// each pair and metric (Desc is that of the wait or the run), and what it gives for each duration, in seconds:
	// concurrently, in the midst of the work. Nil: nobody.
	Durations func(d Desc, queue, kind string) func(ctx context.Context, seconds float64)
}

// Defaults of Config.
const (
	DefaultMaxSeries = 500
	DefaultPatience  = 2 * time.Second
)

// Metrics counts. It is a worker.Observer; everything of it may be called concurrently.
type Metrics struct {
	cfg      Config
	ended    *table[ended]
	enqueued *table[enqueued]

	lost, pruned, missed, orphans, capped atomic.Int64
	invariants                            [len(invariants)]atomic.Int64

	depths source[[]queue.Depth]
	judged source[[]Judgement]
	doubts source[int]

	mu      sync.Mutex
	watched map[*watched]struct{}
	shown   map[string]bool // queues that have series of their own
	broken  map[string]bool // queues whose counts did not add up
}

// New makes metrics. Nothing runs in the background: the engine is read when Read is called.
func New(cfg Config) *Metrics {
	cfg.MaxSeries = cmp.Or(max(0, cfg.MaxSeries), DefaultMaxSeries)
	cfg.Patience = cmp.Or(max(0, cfg.Patience), DefaultPatience)
	m := &Metrics{cfg: cfg, watched: map[*watched]struct{}{}, shown: map[string]bool{}, broken: map[string]bool{}}
	m.ended = newTable(cfg.MaxSeries, &m.capped, m.newEnded)
	m.enqueued = newTable(cfg.MaxSeries, &m.capped, func(pair) *enqueued { return new(enqueued) })
	m.depths = source[[]queue.Depth]{patience: cfg.Patience, fresh: readEvery}
	m.judged = source[[]Judgement]{patience: cfg.Patience, fresh: readEvery}
	m.doubts = source[int]{patience: cfg.Patience, fresh: doubtEvery, share: doubtShare}
	if cfg.Engine != nil {
		m.depths.call = m.readDepths
		m.doubts.call = m.readDoubts
	}
	return m
}

// Health is what Watch needs of a worker: *worker.Worker has it.
type Health interface{ Health() worker.Health }

type watched struct {
	Health
	since atomic.Int64 // when it was last seen not running, in Unix ns
}

// Watch shows the slots and polls of a worker of this process, until forget is called.
func (m *Metrics) Watch(w Health) (forget func()) {
	one := &watched{Health: w}
	one.since.Store(time.Now().UnixNano())
	m.mu.Lock()
	defer m.mu.Unlock()
	m.watched[one] = struct{}{}
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.watched, one)
	}
}

// ScheduleMissed counts n instants of cron entries that were skipped: an observer of package cron calls it.
func (m *Metrics) ScheduleMissed(n int) { m.missed.Add(int64(max(0, n))) }

// OrphansRepaired counts n jobs that an engine found out of place and put right.
func (m *Metrics) OrphansRepaired(n int) { m.orphans.Add(int64(max(0, n))) }

// Invariant is something that must always hold.
type Invariant string

// The invariants; anything else is counted as Other.
const (
	InvariantCounts Invariant = "counts" // accepted = queued + running + done + dead + cancelled + pruned, as the engine counts
	InvariantAudit  Invariant = "audit"  // the same by scan
	InvariantFence  Invariant = "fence"  // a lease that was replaced changed something
	InvariantEffect Invariant = "effect" // an effect was made twice
)

// They are there from the start, at 0, so that the first breach is a rise.
var invariants = [...]Invariant{InvariantCounts, InvariantAudit, InvariantFence, InvariantEffect, Other}

// InvariantBroken counts a finding that what must always hold did not. Read finds InvariantCounts by itself.
func (m *Metrics) InvariantBroken(name Invariant) {
	i := len(invariants) - 1
	for n, known := range invariants {
		if name == known {
			i = n
		}
	}
	m.invariants[i].Add(1)
}

// Judgement is what is said of a queue.
type Judgement struct {
	Queue, Verdict string
	SlotsNeeded    int // below zero: not known
}

// JudgeBy sets what gives the verdicts; nil: there are none. Read calls it at most every 5 s, waits for it no longer
// than Config.Patience, and shows no verdict where it fails.
func (m *Metrics) JudgeBy(judge func(ctx context.Context) ([]Judgement, error)) { m.judged.set(judge) }
