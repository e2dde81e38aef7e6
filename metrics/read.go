package metrics

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twicehq/twice/queue"
)

// Read gives every metric with its values, in the order of All; one of which nothing is known has no points. It asks
// the engine at most every 5 s and takes no longer than Config.Patience, also where the engine hangs or is closed.
func (m *Metrics) Read(ctx context.Context) []Family {
	points := map[string][]Point{}
	var wait sync.WaitGroup
	var depths []queue.Depth
	var judged []Judgement
	var doubts int
	var depthsErr, judgedErr, doubtsErr error
	wait.Go(func() { depths, depthsErr = m.depths.get(ctx) })
	wait.Go(func() { judged, judgedErr = m.judged.get(ctx) })
	wait.Go(func() { doubts, doubtsErr = m.doubts.get(ctx) })
	wait.Wait()

	if m.cfg.Engine != nil {
		up := 0.0
		if depthsErr == nil {
			up = 1
			points[descJobs.Name], points[descAge.Name] = m.queuePoints(depths)
		}
		points[descUp.Name] = []Point{{Value: up}}
	}
	if judgedErr == nil {
		points[descVerdict.Name], points[descNeeded.Name] = m.judgementPoints(judged)
	}
	if doubtsErr == nil && depthsErr == nil {
		points[descDoubt.Name] = []Point{{Value: float64(doubts)}}
	}
	m.eventPoints(points)
	m.workerPoints(points)
	for d, n := range map[*Desc]*atomic.Int64{&descLost: &m.lost, &descPruned: &m.pruned, &descMissed: &m.missed, &descOrphans: &m.orphans, &descCapped: &m.capped} {
		points[d.Name] = []Point{{Value: float64(n.Load())}}
	}
	for i, name := range invariants {
		points[descInvariants.Name] = append(points[descInvariants.Name], Point{Labels: []string{string(name)}, Value: float64(m.invariants[i].Load())})
	}

	families := make([]Family, len(all))
	for i, d := range all {
		families[i] = Family{d, points[d.Name]}
		slices.SortFunc(families[i].Points, func(a, b Point) int { return slices.Compare(a.Labels, b.Labels) })
	}
	return families
}

// eventPoints adds what was counted by queue and kind.
func (m *Metrics) eventPoints(points map[string][]Point) {
	add := func(d *Desc, p Point, ok bool) {
		if ok {
			points[d.Name] = append(points[d.Name], p)
		}
	}
	m.ended.each(func(key pair, e *ended) {
		p, ok := e.wait.point(key.queue, key.kind)
		add(&descWait, p, ok)
		p, ok = e.run.point(key.queue, key.kind)
		add(&descRun, p, ok)
		for o := range e.outcomes {
			n := e.outcomes[o].Load()
			add(&descEnded, Point{Labels: []string{key.queue, key.kind, queue.Outcome(o).String()}, Value: float64(n)}, n > 0)
		}
	})
	m.enqueued.each(func(key pair, e *enqueued) {
		for i := range e.statuses {
			name := "error"
			if i != statusError {
				name = queue.Status(i).String()
			}
			n := e.statuses[i].Load()
			add(&descEnqueued, Point{Labels: []string{key.queue, key.kind, name}, Value: float64(n)}, n > 0)
		}
	})
}

// workerPoints adds how the workers of this process do.
func (m *Metrics) workerPoints(points map[string][]Point) {
	m.mu.Lock()
	workers := make([]*watched, 0, len(m.watched))
	for w := range m.watched {
		workers = append(workers, w)
	}
	m.mu.Unlock()
	if len(workers) == 0 {
		return
	}
	var free, busy, deaf int
	var age time.Duration
	now, running := time.Now(), false
	for _, w := range workers {
		h := w.Health.Health()
		busy, deaf = busy+h.Busy, deaf+h.Deaf
		if h.Running && !h.Draining { // else no slot of it takes anything up
			free += max(0, h.Slots-h.Busy-h.Deaf) // those that a claim has reserved are free
		}
		if !h.Running {
			w.since.Store(now.UnixNano())
			continue
		}
		running = true
		if h.LastPoll.IsZero() { // its engine has not answered yet
			h.LastPoll = time.Unix(0, w.since.Load())
		}
		age = max(age, h.PollAge(now))
	}
	points[descSlots.Name] = []Point{{Labels: []string{"free"}, Value: float64(free)}, {Labels: []string{"busy"}, Value: float64(busy)}, {Labels: []string{"deaf"}, Value: float64(deaf)}}
	if running {
		points[descPollAge.Name] = []Point{{Value: age.Seconds()}}
	}
}

// Find gives the family of that name, as Read gave it; its points are none where nothing is known.
func Find(families []Family, name string) Family {
	i := slices.IndexFunc(families, func(f Family) bool { return f.Name == name })
	if i < 0 {
		return Family{}
	}
	return families[i]
}
