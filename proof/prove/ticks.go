package prove

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/twicehq/twice/cron"
	"github.com/twicehq/twice/queue"
)

const (
	schedulers = 3
	ticks      = 400
	tickEvery  = time.Second
)

// raced has three schedulers fire the same instants, each by what it last read, so that all of them try most ticks.
// What each does with its timers is tested on virtual time in package cron.
func raced(ctx context.Context, r *round) (err error) {
	store, clock, err := r.inProcess(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	book, err := queue.Need[queue.Schedules](store.Engine, "prove")
	if err != nil {
		return err
	}
	const name = "prove.tick"
	if err := book.PutSchedule(ctx, queue.Schedule{Name: name, Spec: "@every 1s", Queue: "prove", Kind: "prove.tick"}); err != nil {
		return err
	}
	stored, err := book.Schedules(ctx)
	if err != nil || len(stored) != 1 {
		return errors.Join(err, fmt.Errorf("%d schedules", len(stored)))
	}
	start := stored[0].Since.Truncate(tickEvery)
	clock.pass((ticks + 1) * tickEvery) // all are due
	s := &race{book: book, name: name, start: start, fired: map[time.Time]int{}}
	var all sync.WaitGroup
	var failed [schedulers]error
	for i := range schedulers {
		all.Go(func() { failed[i] = s.run(ctx, stored[0].Last) })
	}
	all.Wait()
	if err := errors.Join(failed[:]...); err != nil {
		return err
	}
	for due, n := range s.fired {
		if n > 1 {
			r.broke("%d schedulers were told that they fired %s", n, due.UTC().Format(time.TimeOnly))
		}
	}
	look, err := queue.Need[queue.Inspector](store.Engine, "prove")
	if err != nil {
		return err
	}
	depths, err := look.Depths(ctx, "prove")
	if err != nil || len(depths) != 1 {
		return errors.Join(err, fmt.Errorf("%d queues", len(depths)))
	}
	if depths[0].Accepted != ticks || len(s.fired) != ticks {
		r.broke("%d jobs of %d ticks, %d of them fired", depths[0].Accepted, ticks, len(s.fired))
	}
	if s.beaten == 0 {
		return errShown
	}
	r.found.Jobs += int(depths[0].Accepted)
	r.note("%d ticks, %d fired; %d times a scheduler was beaten to one", ticks, len(s.fired), s.beaten)
	return nil
}

type race struct {
	book  queue.Schedules
	name  string
	start time.Time

	mu     sync.Mutex
	fired  map[time.Time]int
	beaten int
}

// run fires every tick that it believes is next.
func (s *race) run(ctx context.Context, last time.Time) error {
	for n := 1; n <= ticks; {
		due := s.start.Add(time.Duration(n) * tickEvery)
		job := queue.Job{Queue: "prove", Kind: "prove.tick", Key: cron.Key(s.name, due), Payload: []byte("{}")}
		_, err := s.book.Fire(ctx, s.name, last, due, job)
		s.mu.Lock()
		switch {
		case err == nil:
			s.fired[due]++
		case errors.Is(err, queue.ErrFired):
			s.beaten++
		default:
			s.mu.Unlock()
			return err
		}
		s.mu.Unlock()
		if err == nil {
			last, n = due, n+1
			continue
		}
		stored, err := s.book.Schedules(ctx)
		if err != nil {
			return err
		}
		last = stored[0].Last
		n = int(last.Sub(s.start)/tickEvery) + 1
	}
	return nil
}
