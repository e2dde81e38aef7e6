package monitor

import (
	"context"
	"errors"
	"fmt"

	"github.com/twicehq/twice/queue"
)

// Report is what an audit saw.
type Report struct {
	Books  []queue.Books // by scan
	Depths []queue.Depth // as counted
	Looked int           // jobs that were seen to end here, and were looked up
	Found  []Finding
}

// maxLooked bounds the jobs that an audit looks up.
const maxLooked = 100

// Audit compares what an engine accepted with what it has, by scan and as it counts, and looks whether the jobs that
// ended last in this process are as they ended. What it finds is counted and reported like everything else. It takes
// time in proportion to what is stored. An error says that the engine could not be asked: nothing is known then.
// ErrUnsupported where it has no books or cannot be looked into.
func (m *Monitor) Audit(ctx context.Context, e queue.Engine) (Report, error) {
	var r Report
	auditor, err := queue.Need[queue.Auditor](e, "audit")
	if err != nil {
		return r, err
	}
	inspector, err := queue.Need[queue.Inspector](e, "audit")
	if err != nil {
		return r, err
	}
	if r.Books, err = auditor.Audit(ctx); err != nil {
		return r, err
	}
	if r.Depths, err = inspector.Depths(ctx); err != nil {
		return r, err
	}
	for _, b := range r.Books {
		if n := b.Missing(); n != 0 {
			r.Found = append(r.Found, Finding{Invariant: Audit, Queue: b.Queue, Says: fmt.Sprintf("%d of %d accepted jobs are missing: %+v, pruned %d", n, b.Accepted, b.Found, b.Pruned)})
		}
	}
	for _, d := range r.Depths {
		if n := d.Accepted - d.Queued - d.Running - d.Done - d.Dead - d.Cancelled - d.Pruned; n != 0 {
			r.Found = append(r.Found, Finding{Invariant: Counts, Queue: d.Queue, Says: fmt.Sprintf("its counts do not add up: %d of %d accepted jobs are missing", n, d.Accepted)})
		}
	}
	if err := m.lookUp(ctx, inspector, &r); err != nil {
		return r, err
	}
	m.note(func() []Finding { return r.Found })
	return r, nil
}

// lookUp finds jobs that were done and are something else, or dead and alive again without a redrive.
func (m *Monitor) lookUp(ctx context.Context, inspector queue.Inspector, r *Report) error {
	m.mu.Lock()
	ended := map[queue.ID]seen{}
	for _, id := range m.jobs.last(maxLooked) {
		if w := m.jobs.all[id]; w.ended.token > 0 {
			ended[id] = w.ended
		}
	}
	m.mu.Unlock()
	for id, was := range ended {
		rec, err := inspector.Job(ctx, id)
		if errors.Is(err, queue.ErrNotFound) {
			continue // pruned: the books tell
		}
		if err != nil {
			return err
		}
		r.Looked++
		says := ""
		switch {
		case rec.EnqueuedAt.After(was.claimed): // it was pruned, and enqueued anew
		case rec.Token < was.token:
			says = fmt.Sprintf("its token fell from %d to %d", was.token, rec.Token)
		case was.settled == queue.Done && rec.State != queue.Done:
			says = fmt.Sprintf("it was done at token %d, and is %s", was.token, rec.State)
		case was.settled == queue.Dead && rec.Counts.Redrives == was.counts.Redrives && rec.State != queue.Dead && rec.State != queue.Cancelled:
			says = fmt.Sprintf("it was dead at token %d, and is %s", was.token, rec.State)
		}
		if says != "" {
			r.Found = append(r.Found, Finding{Invariant: Audit, Job: id, Queue: rec.Job.Queue, Says: says})
		}
	}
	return nil
}
