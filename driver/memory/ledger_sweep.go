package memory

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/twicehq/twice/queue"
)

// MoveMark implements [ledger.Store].
func (l *Ledger) MoveMark(ctx context.Context, t time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if most := l.now().Add(-l.config.KeepFor); t.After(most) {
		t = most
	}
	if t = t.UTC().Truncate(queue.Resolution); t.After(l.mark) {
		l.mark = t
	}
	return nil
}

// askAtOnce is how many jobs a sweep asks the engine about at a time.
const askAtOnce = 100

// Sweep implements [ledger.Store].
func (l *Ledger) Sweep(ctx context.Context, limit int, forgotten func(context.Context, []queue.ID) ([]bool, error)) (int, error) {
	swept, over := 0, l.over()
	for len(over) > 0 && swept < limit {
		n := min(len(over), limit-swept, askAtOnce)
		ids := make([]queue.ID, n)
		for i, j := range over[:n] {
			ids[i] = j.id
		}
		if err := ctx.Err(); err != nil {
			return swept, err
		}
		gone, err := forgotten(ctx, ids)
		if err != nil {
			return swept, err
		}
		if len(gone) != n {
			return swept, &queue.Error{Op: "sweep", Subject: "ledger", Reason: queue.ErrInvalid, Detail: fmt.Sprintf("asked about %d jobs, the engine answered for %d", n, len(gone))}
		}
		for i, j := range over[:n] {
			if gone[i] && l.drop(j) {
				swept++
			}
		}
		over = over[n:]
	}
	return swept, nil
}

// old is a job that may be swept, and the highest token seen there when it was looked at.
type old struct {
	id    queue.ID
	token int64
}

// over gives the jobs that may be swept as far as the ledger knows.
func (l *Ledger) over() []old {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []old
	for id, j := range l.jobs {
		if token, ok := j.over(l.mark); ok {
			all = append(all, old{id, token})
		}
	}
	slices.SortFunc(all, func(a, b old) int { return bytes.Compare(a.id[:], b.id[:]) })
	return all
}

// over reports whether all that is held of a job is at or before the mark, and the highest token there.
func (j *effects) over(mark time.Time) (int64, bool) {
	token := j.seal
	if j.sealed && j.sealAt.After(mark) {
		return 0, false
	}
	for _, e := range j.steps {
		if e.FreshAt.After(mark) {
			return 0, false
		}
		token = max(token, e.Token)
	}
	return token, !mark.IsZero()
}

// drop deletes what is held of a job, unless more came since it was looked at.
func (l *Ledger) drop(o old) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.jobs[o.id]
	if j == nil {
		return false
	}
	if token, ok := j.over(l.mark); !ok || token > o.token {
		return false
	}
	delete(l.jobs, o.id)
	return true
}
