package memory

import (
	"context"
	"slices"
	"time"

	"github.com/twicehq/twice/queue"
)

// Cancel needs: queued or running, and the token still the sealed one. Then: cancelled, the lease cleared.
func (e *Engine) Cancel(ctx context.Context, by queue.Actor, cuts ...queue.Cut) ([]error, error) {
	ids := make([]queue.ID, len(cuts))
	for i, c := range cuts {
		ids[i] = c.ID
	}
	return e.operate(ctx, by, "cancel", ids, func(i int, r *row, now time.Time) (string, error) {
		cut := cuts[i]
		switch {
		case r.state.Ended():
			return "", failed("cancel", r.job.ID, queue.ErrState, "it is "+r.state.String())
		case cut.Sealed && cut.Token != r.token:
			return "", failed("cancel", r.job.ID, queue.ErrLeaseLost, "it was claimed since the ledger was sealed: seal again")
		}
		e.take(r)
		if r.state == queue.Running {
			r.attempted(now, queue.OutcomeCancelled, "", r.lone)
			e.release(r)
		}
		e.turn(r, queue.Cancelled)
		r.reason, r.effects = queue.ReasonCancelled, slices.Clone(cut.Effects)
		if cut.Effects == nil {
			r.effects = e.effects.listed(r.job.ID)
		}
		e.end(r, now)
		e.place(r, now)
		if r.lone {
			e.rouse(e.line(r.job.Queue))
		}
		return cut.Note, nil
	})
}

// Redrive needs: dead, not in doubt, redrives below the cap. Then: queued, budgets reset; id and token kept.
func (e *Engine) Redrive(ctx context.Context, by queue.Actor, ids ...queue.ID) ([]error, error) {
	return e.operate(ctx, by, "redrive", ids, func(_ int, r *row, now time.Time) (string, error) {
		switch {
		case r.state != queue.Dead:
			return "", failed("redrive", r.job.ID, queue.ErrState, "it is "+r.state.String())
		case r.reason == queue.ReasonDoubt:
			return "", failed("redrive", r.job.ID, queue.ErrInDoubt, "resolve the doubt: did the effect happen?")
		}
		return "", e.redrive("redrive", r, now)
	})
}

// Resolved needs: dead in doubt. Then it redrives.
func (e *Engine) Resolved(ctx context.Context, by queue.Actor, ids ...queue.ID) ([]error, error) {
	return e.operate(ctx, by, "resolve", ids, func(_ int, r *row, now time.Time) (string, error) {
		if r.state != queue.Dead || r.reason != queue.ReasonDoubt {
			return "", failed("resolve", r.job.ID, queue.ErrState, "it is "+r.state.String()+" and not in doubt")
		}
		return "", e.redrive("resolve", r, now)
	})
}

func (e *Engine) redrive(op string, r *row, now time.Time) error {
	if r.counts.Redrives >= queue.MaxRedrives {
		return failed(op, r.job.ID, queue.ErrCapped, "discard it, or enqueue it anew under another key")
	}
	e.take(r)
	r.counts = queue.Counts{Redrives: r.counts.Redrives + 1}
	r.lone, r.reason, r.effects, r.endedAt = false, "", nil, time.Time{}
	r.refresh(now)
	r.at, r.runAt = now, now
	e.turn(r, queue.Queued)
	e.place(r, now)
	return nil
}

// Discard needs: dead. Then: cancelled, reason discarded; its effects stay listed.
func (e *Engine) Discard(ctx context.Context, by queue.Actor, ids ...queue.ID) ([]error, error) {
	return e.operate(ctx, by, "discard", ids, func(_ int, r *row, now time.Time) (string, error) {
		if r.state != queue.Dead {
			return "", failed("discard", r.job.ID, queue.ErrState, "it is "+r.state.String())
		}
		note := "was dead: " + string(r.reason)
		e.take(r)
		e.turn(r, queue.Cancelled)
		r.reason = queue.ReasonDiscarded
		e.end(r, now)
		e.place(r, now)
		return note, nil
	})
}

// operate makes one change a job, each with its audit row.
func (e *Engine) operate(ctx context.Context, by queue.Actor, what string, ids []queue.ID, change func(int, *row, time.Time) (string, error)) ([]error, error) {
	if err := by.Check(what); err != nil {
		return nil, err
	}
	if err := e.fits(what, len(ids)); err != nil {
		return nil, err
	}
	now, leave, err := e.enter(ctx, what)
	if err != nil {
		return nil, err
	}
	defer leave()
	errs := make([]error, len(ids))
	for i, id := range ids {
		r, ok := e.jobs[id]
		if !ok {
			errs[i] = failed(what, id, queue.ErrNotFound, "")
			continue
		}
		note, err := change(i, r, now)
		if errs[i] = err; err == nil {
			e.trail = append(e.trail, queue.Change{At: now, By: by, What: what, Queue: r.job.Queue, Job: id, Note: note})
		}
	}
	return errs, nil
}
