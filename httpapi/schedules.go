package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/cron"
	"github.com/twicehq/twice/queue"
)

// Schedule is a stored cron entry.
type Schedule struct {
	Name   string    `json:"name"`
	Spec   string    `json:"spec"`
	Zone   string    `json:"zone"`
	Queue  string    `json:"queue"`
	Kind   string    `json:"kind"`
	Paused bool      `json:"paused"`
	Last   time.Time `json:"last,omitzero"`   // the instant last fired
	Next   time.Time `json:"next,omitzero"`   // the next instant that is due; absent: none is, or it is paused
	Since  time.Time `json:"since,omitzero"`  // when it was first stored: nothing before is due
	Error  string    `json:"error,omitempty"` // why its spec cannot be read by this server
}

// Schedules is a page of cron entries, by name.
type Schedules struct {
	Schedules []Schedule `json:"schedules"`
	Next      string     `json:"next"` // the cursor of what follows; empty: nothing does
}

// ScheduleRun asks for the job of an entry now, beside its schedule, which goes on as it was; also while it is paused.
type ScheduleRun struct {
	// At names the run, to the second: the same again is the same run, so that a repeat is safe. Within a day of now.
	At time.Time `json:"at"`
	// Args are what the scheduler's program would give the job, as JSON: {} where its kind takes none.
	Args json.RawMessage `json:"args"`
	Why
}

func (s *Server) listSchedules(ctx context.Context, c *call) (Schedules, error) {
	store, err := queue.Need[queue.Schedules](s.engine, c.name)
	if err != nil {
		return Schedules{}, err
	}
	stored, err := store.Schedules(ctx)
	page, next := paged(stored, c, func(e queue.Schedule) string { return e.Name })
	all := Schedules{Schedules: []Schedule{}, Next: next}
	for _, e := range page {
		all.Schedules = append(all.Schedules, viewSchedule(e, s.cfg.Now()))
	}
	return all, err
}

func viewSchedule(e queue.Schedule, now time.Time) Schedule {
	v := Schedule{Name: e.Name, Spec: cut(e.Spec, 200), Zone: cut(cmp.Or(e.Zone, "UTC"), 100), Queue: e.Queue, Kind: e.Kind, Paused: e.Paused, Last: sane(e.Last), Since: sane(e.Since)}
	spec, err := cron.Parse(e.Spec, e.Zone)
	switch {
	case err != nil:
		v.Error = cut(err.Error(), 300)
	case !e.Paused:
		v.Next = sane(spec.Next(now))
	}
	return v
}

func (s *Server) pauseSchedule(ctx context.Context, c *call, w Why) (Paused, error) {
	return s.setSchedule(ctx, c, w, true)
}

func (s *Server) resumeSchedule(ctx context.Context, c *call, w Why) (Paused, error) {
	return s.setSchedule(ctx, c, w, false)
}

func (s *Server) setSchedule(ctx context.Context, c *call, w Why, paused bool) (Paused, error) {
	by, err := c.actor(w)
	if err != nil {
		return Paused{}, err
	}
	store, err := queue.Need[queue.Schedules](s.engine, c.name)
	if err != nil {
		return Paused{}, err
	}
	name := c.text("schedule")
	if err := store.PauseSchedule(ctx, by, name, paused); errors.Is(err, queue.ErrNotFound) {
		return Paused{}, noSchedule(c.name, name)
	} else if err != nil {
		return Paused{}, err
	}
	return Paused{name, paused}, nil
}

// runSchedule hands in the job of an entry. Its key is the entry's name and the second that names the run. Engines
// keep no audit row of a job that is handed in: who asked for it stands in its headers.
func (s *Server) runSchedule(ctx context.Context, c *call, run ScheduleRun) (Receipt, error) {
	by, err := c.actor(run.Why)
	if err != nil {
		return Receipt{}, err
	}
	now := s.cfg.Now()
	if d := run.At.Sub(now).Abs(); d > 24*time.Hour {
		return Receipt{}, invalid(c.name, "field at", fmt.Sprintf("it is %s from now", d.Round(time.Minute)), "give the present time, and the same again in a repeat")
	}
	store, err := queue.Need[queue.Schedules](s.engine, c.name)
	if err != nil {
		return Receipt{}, err
	}
	stored, err := store.Schedules(ctx)
	if err != nil {
		return Receipt{}, err
	}
	name := c.text("schedule")
	for _, e := range stored {
		if e.Name == name {
			return s.runNow(ctx, e, run, by)
		}
	}
	return Receipt{}, noSchedule(c.name, name)
}

func (s *Server) runNow(ctx context.Context, e queue.Schedule, run ScheduleRun, by queue.Actor) (Receipt, error) {
	job := queue.Job{Queue: e.Queue, Kind: e.Kind, Key: cron.Key(e.Name, run.At.Truncate(time.Second)), Payload: canonical(run.Args),
		Headers: queue.Headers{queue.HeaderRequest: twice.RequestID(ctx), HeaderRunBy: by.Name, HeaderRunWhy: cut(by.Why, 500)}}
	job, err := job.Prepared(min(s.cfg.MaxPayload, s.engine.Traits().MaxPayload), s.cfg.Now())
	if err != nil {
		return Receipt{}, err
	}
	receipts, err := s.engine.Enqueue(ctx, job)
	if err != nil {
		return Receipt{}, err
	}
	return viewReceipt(receipts[0]), receipts[0].Err
}

// Headers of a job that a person ran beside its schedule: who, and why.
const (
	HeaderRunBy  = "run_by"
	HeaderRunWhy = "run_why"
)

func noSchedule(op, name string) error {
	return &queue.Error{Op: op, Subject: name, Reason: queue.ErrNotFound, Detail: "no entry of that name is stored", Remedy: "/api/v1/schedules lists them"}
}
