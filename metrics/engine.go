package metrics

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/twicehq/twice/queue"
)

// readDepths asks the engine for its counts. One that keeps none is asked whether it is there.
func (m *Metrics) readDepths(ctx context.Context) ([]queue.Depth, error) {
	inspector, ok := queue.As[queue.Inspector](m.cfg.Engine)
	if !ok {
		return nil, m.cfg.Engine.Ping(ctx)
	}
	return inspector.Depths(ctx, m.cfg.Queues...)
}

// readDoubts counts the jobs in doubt, up to a page of them. No engine counts them: it looks through what is dead, so
// it is asked rarely, and not at all while nothing is.
func (m *Metrics) readDoubts(ctx context.Context) (int, error) {
	inspector, err := queue.Need[queue.Inspector](m.cfg.Engine, "count doubts")
	if err != nil {
		return 0, err
	}
	depths, err := m.depths.get(ctx)
	if err != nil || !slices.ContainsFunc(depths, func(d queue.Depth) bool { return d.Dead > 0 }) {
		return 0, err
	}
	page, err := inspector.List(ctx, queue.Query{State: queue.Dead, Reason: queue.ReasonDoubt, Limit: queue.MaxPage})
	return len(page.Records), err
}

// states are the values of the label state, with how a depth counts them.
var states = []struct {
	name string
	of   func(queue.Depth) int64
}{
	{queue.Queued.String(), func(d queue.Depth) int64 { return d.Queued }},
	{queue.Running.String(), func(d queue.Depth) int64 { return d.Running }},
	{queue.Done.String(), func(d queue.Depth) int64 { return d.Done }},
	{queue.Dead.String(), func(d queue.Depth) int64 { return d.Dead }},
	{queue.Cancelled.String(), func(d queue.Depth) int64 { return d.Cancelled }},
}

// queuePoints turns counts into points. Queues beyond the cap are one: their jobs are added up, the oldest age is theirs.
func (m *Metrics) queuePoints(depths []queue.Depth) (jobs, ages []Point) {
	type sum struct {
		jobs [5]int64
		age  time.Duration
	}
	sums := map[string]*sum{}
	for _, d := range depths {
		m.checkCounts(d)
		name := m.showAs(d.Queue)
		s := sums[name]
		if s == nil {
			s = new(sum)
			sums[name] = s
		}
		for i, state := range states {
			s.jobs[i] += state.of(d)
		}
		if !d.OldestDue.IsZero() { // both times are the engine's
			s.age = max(s.age, d.AsOf.Sub(d.OldestDue))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		for i, state := range states {
			jobs = append(jobs, Point{Labels: []string{name, state.name}, Value: float64(sums[name].jobs[i])})
		}
		ages = append(ages, Point{Labels: []string{name}, Value: sums[name].age.Seconds()})
	}
	return jobs, ages
}

// showAs gives the name under which a queue is shown: the first ones keep theirs, so that no series changes its
// meaning when a queue comes.
func (m *Metrics) showAs(name string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.shown[name] {
		return name
	}
	if len(m.shown) >= m.cfg.MaxSeries || queue.CheckName("queue", name) != nil {
		m.capped.Add(1)
		return Other
	}
	m.shown[name] = true
	return name
}

// checkCounts finds counts that do not add up. A breach is counted when it begins, not at every reading.
func (m *Metrics) checkCounts(d queue.Depth) {
	broken := d.Accepted != d.Queued+d.Running+d.Done+d.Dead+d.Cancelled+d.Pruned
	m.mu.Lock()
	was := m.broken[d.Queue]
	if broken && len(m.broken) < m.cfg.MaxSeries {
		m.broken[d.Queue] = true
	} else if !broken {
		delete(m.broken, d.Queue)
	}
	m.mu.Unlock()
	if broken && !was {
		m.InvariantBroken(InvariantCounts)
	}
}

// judgementPoints turns judgements into points. Of queues beyond the cap there is no verdict: several would contradict
// each other.
func (m *Metrics) judgementPoints(all []Judgement) (verdicts, needed []Point) {
	seen := map[string]bool{}
	for _, j := range slices.SortedFunc(slices.Values(all), func(a, b Judgement) int { return cmp.Compare(a.Queue, b.Queue) }) {
		if seen[j.Queue] || m.showAs(j.Queue) == Other || queue.CheckName("verdict", j.Verdict) != nil {
			continue
		}
		seen[j.Queue] = true
		verdicts = append(verdicts, Point{Labels: []string{j.Queue, j.Verdict}, Value: 1})
		if j.SlotsNeeded >= 0 {
			needed = append(needed, Point{Labels: []string{j.Queue}, Value: float64(j.SlotsNeeded)})
		}
	}
	return verdicts, needed
}
