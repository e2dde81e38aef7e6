package memory

import (
	"context"
	"time"

	"github.com/twicehq/twice/queue"
)

// Prune needs: done or cancelled for UniqueFor, or KeepFor if that is longer. Then: the row goes, counted;
// the mark stays.
func (e *Engine) Prune(ctx context.Context, limit int) (int, error) {
	now, leave, err := e.enter(ctx, "prune")
	if err != nil {
		return 0, err
	}
	defer leave()
	n := 0
	for ; n < limit; n++ {
		r := e.ended.first()
		if r == nil || r.at.After(now) {
			break
		}
		e.forget(r)
	}
	e.compact()
	return n, nil
}

// Reap needs: done or cancelled, and last fresh at or before the mark. It keeps what Prune would keep:
// an id is known for UniqueFor in any case.
func (e *Engine) Reap(ctx context.Context, limit int) (int, error) {
	now, leave, err := e.enter(ctx, "reap")
	if err != nil {
		return 0, err
	}
	defer leave()
	var stale []*row
	for _, r := range e.ended.rows {
		if len(stale) < limit && !r.at.After(now) && !r.fresh.After(e.mark) {
			stale = append(stale, r)
		}
	}
	for _, r := range stale {
		e.forget(r)
	}
	e.compact()
	return len(stale), nil
}

// forget removes a row; a new one in its queue starts above its token.
func (e *Engine) forget(r *row) {
	l := e.line(r.job.Queue)
	e.take(r)
	l.tally[r.state]--
	l.pruned++
	l.floor = max(l.floor, r.token+1)
	delete(e.jobs, r.job.ID)
	r.pruned = true
	r.strip()
	e.gone++
}

// compact drops pruned rows from the order once they are most of it.
func (e *Engine) compact() {
	if e.gone < 1000 || e.gone < len(e.order)/2 {
		return
	}
	kept := make([]*row, 0, len(e.order)-e.gone)
	for _, r := range e.order {
		if !r.pruned {
			kept = append(kept, r)
		}
	}
	e.order, e.gone = kept, 0
}

// MoveMark raises the mark to t, at most to the clock less KeepFor, and never lowers it.
func (e *Engine) MoveMark(ctx context.Context, t time.Time) error {
	now, leave, err := e.enter(ctx, "move mark")
	if err != nil {
		return err
	}
	defer leave()
	if most := now.Add(-e.cfg.KeepFor); t.After(most) {
		t = most
	}
	e.mark = latest(e.mark, t.Truncate(queue.Resolution).UTC())
	return nil
}

// Mark implements [queue.Pruner]: all queues have the same.
func (e *Engine) Mark(ctx context.Context, _ string) (time.Time, error) {
	_, leave, err := e.enter(ctx, "mark")
	if err != nil {
		return time.Time{}, err
	}
	defer leave()
	return e.mark, nil
}
