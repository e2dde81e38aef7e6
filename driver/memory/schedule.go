package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twicehq/twice/queue"
)

// PutSchedule implements [queue.Schedules]. Where the entry exists, its last fire stays, and so do the
// time it was first stored and whether it is paused.
func (e *Engine) PutSchedule(ctx context.Context, s queue.Schedule) error {
	if err := queue.CheckName("schedule", s.Name); err != nil {
		return err
	}
	now, leave, err := e.enter(ctx, "put schedule")
	if err != nil {
		return err
	}
	defer leave()
	s.Last = s.Last.Truncate(queue.Resolution)
	s.Since = now
	if old, ok := e.schedules[s.Name]; ok {
		s.Last, s.Since, s.Paused = old.Last, old.Since, old.Paused
	}
	e.schedules[s.Name] = s
	return nil
}

// Schedules implements [queue.Schedules].
func (e *Engine) Schedules(ctx context.Context) ([]queue.Schedule, error) {
	_, leave, err := e.enter(ctx, "schedules")
	if err != nil {
		return nil, err
	}
	defer leave()
	all := make([]queue.Schedule, 0, len(e.schedules))
	for _, s := range e.schedules {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b queue.Schedule) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// Fire needs: the entry's last fire is still before, and it is not paused. Then: its last fire is due, and
// the job is enqueued. A job that is worse than a duplicate changes nothing.
func (e *Engine) Fire(ctx context.Context, name string, before, due time.Time, job queue.Job) (queue.Receipt, error) {
	now, leave, err := e.enter(ctx, "fire")
	if err != nil {
		return queue.Receipt{}, err
	}
	defer leave()
	s, ok := e.schedules[name]
	switch {
	case !ok:
		return queue.Receipt{}, &queue.Error{Op: "fire", Subject: name, Reason: queue.ErrNotFound}
	case s.Paused:
		return queue.Receipt{}, &queue.Error{Op: "fire", Subject: name, Reason: queue.ErrState, Detail: "it is paused"}
	case !s.Last.Equal(before.Truncate(queue.Resolution)):
		return queue.Receipt{}, &queue.Error{Op: "fire", Subject: name, Reason: queue.ErrFired, Detail: fmt.Sprintf("last fired for %s", s.Last.UTC().Format(time.RFC3339))}
	}
	receipt := e.enqueue(job, now)
	if receipt.Err != nil {
		return receipt, &queue.Error{Op: "fire", Subject: name, Reason: receipt.Err, Detail: "nothing was changed"}
	}
	s.Last = due.Truncate(queue.Resolution).UTC()
	e.schedules[name] = s
	return receipt, nil
}

// DropSchedule implements [queue.Schedules].
func (e *Engine) DropSchedule(ctx context.Context, by queue.Actor, name string) error {
	return e.changeSchedule(ctx, by, "drop schedule", name, func(s queue.Schedule) { delete(e.schedules, name) })
}

// PauseSchedule implements [queue.Schedules].
func (e *Engine) PauseSchedule(ctx context.Context, by queue.Actor, name string, paused bool) error {
	what := "resume schedule"
	if paused {
		what = "pause schedule"
	}
	return e.changeSchedule(ctx, by, what, name, func(s queue.Schedule) {
		s.Paused = paused
		e.schedules[name] = s
	})
}

func (e *Engine) changeSchedule(ctx context.Context, by queue.Actor, what, name string, change func(queue.Schedule)) error {
	if err := by.Check(what); err != nil {
		return err
	}
	now, leave, err := e.enter(ctx, what)
	if err != nil {
		return err
	}
	defer leave()
	s, ok := e.schedules[name]
	if !ok {
		return &queue.Error{Op: what, Subject: name, Reason: queue.ErrNotFound}
	}
	change(s)
	e.trail = append(e.trail, queue.Change{At: now, By: by, What: what, Queue: s.Queue, Note: name})
	return nil
}
