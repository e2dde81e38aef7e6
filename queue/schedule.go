package queue

import (
	"context"
	"time"
)

// Schedules keeps cron entries and their last fires, for any number of schedulers and no leader.
type Schedules interface {
	// PutSchedule stores an entry by its name. Where it exists its spec changes; its last fire, its Since and whether it
	// is paused stay.
	PutSchedule(ctx context.Context, s Schedule) error
	// Schedules gives all entries by name.
	Schedules(ctx context.Context) ([]Schedule, error)
	// Fire enqueues job for the instant due and makes that the entry's last fire, in one write, if its
	// last fire is still before; else ErrFired. A duplicate of a job that exists is a success. ErrState while
	// it is paused. The job goes to the entry's queue: engines may look for the entry there only.
	Fire(ctx context.Context, name string, before, due time.Time, job Job) (Receipt, error)
	// DropSchedule removes an entry.
	DropSchedule(ctx context.Context, by Actor, name string) error
	// PauseSchedule stops or resumes an entry.
	PauseSchedule(ctx context.Context, by Actor, name string, paused bool) error
}

// Schedule is a stored cron entry.
type Schedule struct {
	Name   string
	Spec   string // as package cron reads it
	Zone   string // IANA name; empty: UTC
	Queue  string
	Kind   string
	Last   time.Time // the instant last fired; zero: never
	Since  time.Time // when the entry was first stored: nothing before it is due
	Paused bool
}
