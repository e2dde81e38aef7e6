package cron

import (
	"context"
	"fmt"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/queue"
)

// Entry is a schedule: when it is due, and the job of an instant.
type Entry struct {
	Name  string // unique in the engine; a part of its jobs' ids
	Spec  string // as Parse reads it
	Zone  string // IANA name; empty: UTC
	Queue string // of its jobs
	Kind  string
	// Job makes the job of a due instant. Its key, id and fingerprint are replaced (see Key): the entry and
	// the instant are its identity, so two schedulers cannot make two. Where they are not set, its run-at and
	// its origin are the instant. It may be called more than once for an instant, and must not block long.
	Job func(ctx context.Context, due time.Time) (queue.Job, error)
}

// Of makes an entry whose jobs are of kind, with the arguments that args gives for an instant.
func Of[T any](name, spec, zone string, kind *twice.Kind[T], args func(due time.Time) T) Entry {
	e := Entry{Name: name, Spec: spec, Zone: zone}
	if kind == nil || args == nil {
		return e // Run says what is missing
	}
	e.Queue, e.Kind = kind.Rules().Queue, kind.Name()
	e.Job = func(ctx context.Context, due time.Time) (queue.Job, error) { return kind.Job(ctx, args(due)) }
	return e
}

// Key is the key of the job of an entry at a due instant; with its kind it gives the job's id.
func Key(entry string, due time.Time) string { return entry + "@" + due.UTC().Format(time.RFC3339) }

// check gives everything that is wrong with the entry.
func (e Entry) check() queue.Problems {
	var found queue.Problems
	for _, err := range []error{queue.CheckName("schedule", e.Name), queue.CheckName("queue", e.Queue), queue.CheckName("kind", e.Kind)} {
		if err != nil {
			found = append(found, err)
		}
	}
	if _, err := Parse(e.Spec, e.Zone); err != nil {
		found = append(found, err)
	}
	if e.Job == nil {
		found = append(found, &queue.Error{Op: "add schedule", Subject: fmt.Sprintf("%.80q", e.Name), Reason: queue.ErrInvalid,
			Detail: "it makes no job", Remedy: "give Job, or use cron.Of with a kind and its arguments"})
	}
	return found
}

// jobAt makes the job of an instant, whatever the maker does.
func (e Entry) jobAt(ctx context.Context, due time.Time) (job queue.Job, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &queue.Error{Op: "make job", Subject: e.Name, Reason: queue.ErrInvalid, Detail: fmt.Sprintf("panic: %v", v)}
		}
	}()
	if job, err = e.Job(ctx, due); err != nil {
		return job, err
	}
	if job.Kind != e.Kind || job.Queue != e.Queue {
		return job, &queue.Error{Op: "make job", Subject: e.Name, Reason: queue.ErrInvalid,
			Detail: fmt.Sprintf("the job is %.64q in the queue %.64q, the entry says %s in %s", job.Kind, job.Queue, e.Kind, e.Queue)}
	}
	job.Key = Key(e.Name, due)
	job.ID = queue.NewID(job.Kind, job.Key)
	job.Fingerprint = queue.FingerprintOf([]byte(job.Key))
	if job.RunAt.IsZero() {
		job.RunAt = due
	}
	if job.Origin.IsZero() {
		job.Origin = due
	}
	return job, nil
}
