package memory

import (
	"context"
	"fmt"
	"time"

	"github.com/twicehq/twice/queue"
)

// Enqueue implements [queue.Enqueuer].
func (e *Engine) Enqueue(ctx context.Context, jobs ...queue.Job) ([]queue.Receipt, error) {
	if err := e.fits("enqueue", len(jobs)); err != nil {
		return nil, err
	}
	now, leave, err := e.enter(ctx, "enqueue")
	if err != nil {
		return nil, err
	}
	defer leave()
	receipts := make([]queue.Receipt, len(jobs))
	for i, j := range jobs {
		receipts[i] = e.enqueue(j, now)
	}
	return receipts, nil
}

// enqueue needs: no such id; origin absent, or after the mark and at most 5 min ahead. Then: queued.
// Same id and fingerprint: duplicate, which raises fresh_at to a later origin. Other fingerprint: conflict.
func (e *Engine) enqueue(j queue.Job, now time.Time) queue.Receipt {
	j, err := j.Prepared(e.cfg.MaxPayload, now)
	if err != nil {
		return queue.Receipt{ID: j.ID, Status: queue.Refused, Err: err}
	}
	if err := e.inTime(j, now); err != nil {
		return queue.Receipt{ID: j.ID, Status: queue.Refused, Err: err}
	}
	if r, ok := e.jobs[j.ID]; ok {
		return e.known(r, j)
	}
	if err := e.afterMark(j); err != nil {
		return queue.Receipt{ID: j.ID, Status: queue.Refused, Err: err}
	}
	r := e.accept(j, now)
	return queue.Receipt{ID: j.ID, Status: queue.Accepted, GuardedUntil: e.guarded(r, j)}
}

func (e *Engine) accept(j queue.Job, now time.Time) *row {
	l := e.line(j.Queue)
	e.seq++
	r := &row{job: copied(j), seq: e.seq, state: queue.Queued, token: l.floor, enqueuedAt: now}
	r.at = latest(j.RunAt, now)
	r.runAt = r.at
	r.fresh = j.Origin
	if j.Origin.IsZero() {
		r.fresh = now
	}
	r.refresh(j.RunAt)
	e.jobs[j.ID] = r
	e.order = append(e.order, r)
	l.accepted++
	l.tally[queue.Queued]++
	e.place(r, now)
	return r
}

// known answers a request whose id is taken.
func (e *Engine) known(r *row, j queue.Job) queue.Receipt {
	receipt := queue.Receipt{ID: j.ID, Status: queue.Duplicate, Holder: r.job.ID, HolderState: r.state, HolderRunAt: r.runAt}
	if r.job.Fingerprint != j.Fingerprint {
		receipt.Status = queue.Conflict
		receipt.Err = failed("enqueue", j.ID, queue.ErrConflict, fmt.Sprintf("the job that has the id is %s and has fingerprint %016x, this has %016x", r.state, r.job.Fingerprint, j.Fingerprint))
		return receipt
	}
	r.refresh(j.Origin)
	receipt.GuardedUntil = e.guarded(r, j)
	return receipt
}

// guarded: a request with an origin is guarded for ever, by the mark; another as long as effects are kept.
func (e *Engine) guarded(r *row, j queue.Job) time.Time {
	if !j.Origin.IsZero() {
		return time.Time{}
	}
	return r.fresh.Add(e.cfg.KeepFor)
}

func (e *Engine) inTime(j queue.Job, now time.Time) error {
	if ahead := j.Origin.Sub(now); !j.Origin.IsZero() && ahead > queue.MaxOriginAhead {
		return &queue.Error{Op: "enqueue", Subject: j.ID.String(), Reason: queue.ErrRefused, Remedy: "set the producer's clock",
			Detail: fmt.Sprintf("its origin is %s ahead, the limit is %s", ahead, queue.MaxOriginAhead)}
	}
	return nil
}

func (e *Engine) afterMark(j queue.Job) error {
	if !j.Origin.IsZero() && !j.Origin.After(e.mark) {
		return &queue.Error{Op: "enqueue", Subject: j.ID.String(), Reason: queue.ErrRefused, Remedy: "it may have run before; if it must run again, give it another key",
			Detail: fmt.Sprintf("its origin %s is at or before the mark %s", j.Origin.Format(time.RFC3339), e.mark.Format(time.RFC3339))}
	}
	return nil
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
