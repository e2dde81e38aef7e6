package metrics

import (
	"context"
	"sync/atomic"

	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

// outcomes is one more than the highest outcome.
const outcomes = int(queue.OutcomeBuried) + 1

// ended is what is counted of one pair of queue and kind.
type ended struct {
	outcomes  [outcomes]atomic.Int64
	wait, run *histogram
	// What Config.Durations gave.
	mirrorWait, mirrorRun func(context.Context, float64)
}

func (m *Metrics) newEnded(p pair) *ended {
	e := &ended{wait: newHistogram(waitBounds), run: newHistogram(runBounds)}
	if m.cfg.Durations != nil {
		e.mirrorWait, e.mirrorRun = m.cfg.Durations(descWait, p.queue, p.kind), m.cfg.Durations(descRun, p.queue, p.kind)
	}
	return e
}

// Observe implements [worker.Observer]. It allocates nothing but at the first event of a pair of queue and kind.
func (m *Metrics) Observe(ctx context.Context, e worker.Event) {
	switch e.What {
	case worker.Pruned:
		m.pruned.Add(int64(max(0, e.N)))
		return
	case worker.Started, worker.Ended, worker.Deaf, worker.Settled, worker.LeaseLost:
		if e.Lease == nil {
			return
		}
	default:
		return
	}
	s := m.ended.of(e.Lease.Job.Queue, e.Lease.Job.Kind)
	switch e.What {
	case worker.Started:
		if saysWhen(e.Lease) {
			s.wait.observe(e.Wait)
			if s.mirrorWait != nil {
				s.mirrorWait(ctx, max(0, e.Wait.Seconds()))
			}
		}
	case worker.Ended, worker.Deaf:
		if e.Run > 0 || e.Outcome != queue.OutcomeBuried { // else it was ended without a run
			s.run.observe(e.Run)
			if s.mirrorRun != nil {
				s.mirrorRun(ctx, max(0, e.Run.Seconds()))
			}
		}
	case worker.Settled:
		s.count(e.Outcome)
	case worker.LeaseLost:
		if e.Outcome == queue.OutcomeCancelled {
			s.count(e.Outcome)
		} else {
			m.lost.Add(1)
		}
	}
}

func (s *ended) count(o queue.Outcome) {
	if o > 0 && int(o) < outcomes {
		s.outcomes[o].Add(1)
	}
}

// saysWhen reports whether the event's wait is known: it is that of a first run whose job says when it was to be.
func saysWhen(l *queue.Lease) bool {
	return l.Counts.Ways() == 0 && !(l.Job.RunAt.IsZero() && l.Job.Origin.IsZero())
}
