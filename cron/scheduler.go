package cron

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/twicehq/twice/queue"
)

// Config of a scheduler; a zero field means its default.
type Config struct {
	Now       func() time.Time // the clock that says what is due; time.Now
	Logger    *slog.Logger     // slog's default
	Observers []Observer
}

// Scheduler fires entries. Make one with New, add entries with Add, then Run it. Add must not be called
// at the same time as Run.
type Scheduler struct {
	engine   queue.Engine
	cfg      Config
	entries  map[string]Entry
	problems queue.Problems
	retry    map[string]attempt // entries whose last fire failed
	strange  map[string]string  // entries that were told as strange, by spec
}

// New makes a scheduler on engine. What is wrong with it, and with any Add after it, is kept until Run.
func New(engine queue.Engine, cfg Config) *Scheduler {
	s := &Scheduler{engine: engine, cfg: cfg, entries: map[string]Entry{}, retry: map[string]attempt{}, strange: map[string]string{}}
	if engine == nil {
		s.problems = append(s.problems, &queue.Error{Reason: queue.ErrInvalid, Detail: "it has no engine", Remedy: "open one first"})
	}
	if cfg.Now == nil {
		s.cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		s.cfg.Logger = slog.Default()
	}
	if slices.Contains(cfg.Observers, nil) {
		s.problems = append(s.problems, &queue.Error{Reason: queue.ErrInvalid, Detail: "one of its Observers is nil", Remedy: "leave it out"})
	}
	return s
}

// Add adds an entry.
func (s *Scheduler) Add(e Entry) {
	s.problems = append(s.problems, e.check()...)
	if _, ok := s.entries[e.Name]; ok {
		s.problems = append(s.problems, &queue.Error{Op: "add schedule", Subject: fmt.Sprintf("%.80q", e.Name), Reason: queue.ErrInvalid,
			Detail: "there are two of that name", Remedy: "give each entry a name of its own"})
	}
	s.entries[e.Name] = e
}

// Run stores the entries and fires them whenever they are due, until ctx ends; then it returns nil. It
// fails, before anything was stored, with ErrInvalid (naming everything that is wrong), or with
// ErrUnsupported where the engine keeps no schedules; and with ErrClosed once the engine is closed.
//
// The spec and zone in the engine are what counts, so that schedulers of two versions agree: the last one
// that started has put its own there. An instant before the entry was first stored is not due. While
// writes fail, they are repeated within seconds; a later instant that becomes due meanwhile takes the
// place of the earlier, which is then counted as skipped.
func (s *Scheduler) Run(ctx context.Context) error {
	if len(s.problems) > 0 {
		return &queue.Error{Op: "run scheduler", Reason: queue.ErrInvalid, Cause: s.problems}
	}
	store, err := queue.Need[queue.Schedules](s.engine, "run scheduler")
	if err != nil {
		return err
	}
	for _, name := range s.names() {
		e := s.entries[name]
		entry := queue.Schedule{Name: e.Name, Spec: e.Spec, Zone: e.Zone, Queue: e.Queue, Kind: e.Kind}
		err := s.until(ctx, func(ctx context.Context) error { return store.PutSchedule(ctx, entry) })
		if err != nil || ctx.Err() != nil {
			return err
		}
	}
	for ctx.Err() == nil {
		var stored []queue.Schedule
		err := s.until(ctx, func(ctx context.Context) (err error) { stored, err = store.Schedules(ctx); return err })
		if err != nil || ctx.Err() != nil {
			return err
		}
		wake := s.cfg.Now().Add(lookEvery)
		for _, entry := range stored {
			if _, mine := s.entries[entry.Name]; mine && !entry.Paused {
				if next := s.serve(ctx, store, entry); !next.IsZero() && next.Before(wake) {
					wake = next
				}
			}
		}
		pause(ctx, max(wake.Sub(s.cfg.Now()), shortest))
	}
	return nil
}

const (
	lookEvery   = 15 * time.Second // how soon a change by others (paused, another spec) is noticed
	shortest    = time.Millisecond
	callTimeout = 15 * time.Second
)

// until repeats a call until it succeeds or ctx ends. It fails only with what no repetition can mend.
func (s *Scheduler) until(ctx context.Context, call func(context.Context) error) error {
	for try := 1; ; try++ {
		limited, cancel := context.WithTimeout(ctx, callTimeout)
		err := call(limited)
		cancel()
		if err == nil || ctx.Err() != nil {
			return nil
		}
		if errors.Is(err, queue.ErrClosed) || errors.Is(err, queue.ErrInvalid) {
			return &queue.Error{Op: "run scheduler", Cause: err}
		}
		s.tell(ctx, Event{What: Engine, Err: err})
		pause(ctx, retryAfter(try))
	}
}

func (s *Scheduler) names() []string {
	names := make([]string, 0, len(s.entries))
	for name := range s.entries {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
