package cron

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/twicehq/twice/queue"
)

// attempt remembers a fire that failed.
type attempt struct {
	due time.Time
	n   int
	not time.Time // before
}

// serve fires an entry if it is due, and gives when to look at it again; zero: no need to.
func (s *Scheduler) serve(ctx context.Context, store queue.Schedules, entry queue.Schedule) time.Time {
	spec, err := Parse(entry.Spec, entry.Zone)
	if err != nil {
		if text := entry.Spec + "|" + entry.Zone; s.strange[entry.Name] != text {
			s.strange[entry.Name] = text
			s.tell(ctx, Event{What: Strange, Entry: entry.Name, Err: err})
		}
		return time.Time{}
	}
	delete(s.strange, entry.Name)
	after := entry.Last
	if after.Before(entry.Since) {
		after = entry.Since
	}
	now := s.cfg.Now()
	due, skipped, ok := spec.latest(after, now)
	if !ok {
		return spec.Next(after)
	}
	if last := s.retry[entry.Name]; last.due.Equal(due) && now.Before(last.not) {
		return last.not
	}
	receipt, err := s.fire(ctx, store, entry, due)
	e := Event{What: Fired, Entry: entry.Name, Due: due, Skipped: skipped, Receipt: receipt, Err: err}
	switch {
	case ctx.Err() != nil && err != nil:
		return time.Time{}
	case err == nil:
	case errors.Is(err, queue.ErrFired):
		// For this instant, or for an earlier one by a slower clock: look again.
		delete(s.retry, entry.Name)
		e.What, e.Skipped, e.Err = Beaten, 0, nil
		s.tell(ctx, e)
		return now
	default:
		e.What, e.Skipped = Failed, 0
		last := s.retry[entry.Name]
		if !last.due.Equal(due) {
			last = attempt{due: due}
		}
		last.n++
		last.not = now.Add(retryAfter(last.n))
		s.retry[entry.Name] = last
		s.tell(ctx, e)
		return last.not
	}
	delete(s.retry, entry.Name)
	s.tell(ctx, e)
	return spec.Next(due)
}

func (s *Scheduler) fire(ctx context.Context, store queue.Schedules, entry queue.Schedule, due time.Time) (queue.Receipt, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	job, err := s.entries[entry.Name].jobAt(ctx, due)
	if err != nil {
		return queue.Receipt{}, err
	}
	receipt, err := store.Fire(ctx, entry.Name, entry.Last, due, job)
	if err == nil && receipt.Status != queue.Accepted && receipt.Status != queue.Duplicate {
		err = &queue.Error{Op: "fire", Subject: entry.Name, Reason: receipt.Err, Detail: fmt.Sprintf("its job is a %s", receipt.Status)}
	}
	return receipt, err
}

// retryAfter is the pause before the n-th repetition: 50 ms, doubled up to 3 s, drawn from the upper half.
func retryAfter(n int) time.Duration {
	d := min(50*time.Millisecond<<min(n-1, 6), 3*time.Second)
	return d/2 + rand.N(d/2)
}
