package redis

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twicehq/twice/queue"
)

// entryText is what of a schedule only the client reads.
type entryText struct {
	Spec, Zone, Kind string
}

// PutSchedule implements [queue.Schedules]. An entry lives with its queue, so that a fire is one write.
func (e *Engine) PutSchedule(ctx context.Context, s queue.Schedule) error {
	if err := queue.CheckName("schedule", s.Name); err != nil {
		return err
	}
	if err := queue.CheckName("queue", s.Queue); err != nil {
		return err
	}
	if err := e.usable(ctx, "put schedule"); err != nil {
		return err
	}
	text, err := json.Marshal(entryText{s.Spec, s.Zone, s.Kind})
	if err != nil {
		return &queue.Error{Op: "put schedule", Subject: s.Name, Reason: queue.ErrInvalid, Cause: err}
	}
	at, err := e.scheduleOf(ctx, s.Name)
	if err != nil {
		return translated("put schedule", err)
	}
	if at != nil && at.Queue != s.Queue {
		return &queue.Error{Op: "put schedule", Subject: s.Name, Reason: queue.ErrState, Detail: fmt.Sprintf("it fires into queue %s, not %s", at.Queue, s.Queue),
			Remedy: "drop it first: its last fire does not move with it"}
	}
	_, _, err = e.on(ctx, scheduleScript, s.Queue, true, nil, func(*line) []string {
		return []string{"put", s.Name, string(text), digits(milli(s.Last))}
	})
	return translated("put schedule", err)
}

// Schedules implements [queue.Schedules].
func (e *Engine) Schedules(ctx context.Context) ([]queue.Schedule, error) {
	if err := e.usable(ctx, "schedules"); err != nil {
		return nil, err
	}
	all, err := e.schedules(ctx)
	return all, translated("schedules", err)
}

func (e *Engine) schedules(ctx context.Context) ([]queue.Schedule, error) {
	names, err := e.all(ctx)
	if err != nil {
		return nil, err
	}
	var all []queue.Schedule
	for _, name := range names {
		found, err := e.client.Do(ctx, e.client.B().Hgetall().Key(e.key(name, "s")).Build()).AsStrMap()
		if err != nil {
			return nil, err
		}
		for own, text := range found {
			r := reader{b: []byte(text)}
			s := queue.Schedule{Name: own, Queue: name, Last: instant(r.uint(6)), Since: instant(r.uint(6)), Paused: r.uint(1) == 1}
			var about entryText
			if err := json.Unmarshal(r.b, &about); err != nil {
				return nil, &queue.Error{Op: "schedules", Subject: own, Reason: queue.ErrCorrupt, Cause: err, Remedy: "drop the entry, and put it anew"}
			}
			s.Spec, s.Zone, s.Kind = about.Spec, about.Zone, about.Kind
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b queue.Schedule) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// scheduleOf gives an entry; nil where there is none of that name.
func (e *Engine) scheduleOf(ctx context.Context, name string) (*queue.Schedule, error) {
	all, err := e.schedules(ctx)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].Name == name {
			return &all[i], nil
		}
	}
	return nil, nil
}

// Fire implements [queue.Schedules].
func (e *Engine) Fire(ctx context.Context, name string, before, due time.Time, job queue.Job) (queue.Receipt, error) {
	if err := e.usable(ctx, "fire"); err != nil {
		return queue.Receipt{}, err
	}
	wrong := func(reason error, detail string) (queue.Receipt, error) {
		return queue.Receipt{ID: job.ID}, &queue.Error{Op: "fire", Subject: name, Reason: reason, Detail: detail}
	}
	job, err := job.Prepared(e.cfg.MaxPayload, e.about())
	if err != nil {
		return queue.Receipt{ID: job.ID, Status: queue.Refused, Err: err}, &queue.Error{Op: "fire", Subject: name, Reason: err, Detail: "nothing was changed"}
	}
	p := prepare(job)
	answer, _, err := e.on(ctx, scheduleScript, job.Queue, true, []laneKey{p.lane}, func(l *line) []string {
		return append([]string{"fire", name, digits(milli(before)), digits(milli(due))}, p.args(l)...)
	})
	if err != nil {
		return queue.Receipt{}, translated("fire", err)
	}
	switch {
	case string(answer) == "U":
		return wrong(queue.ErrNotFound, "")
	case string(answer) == "P":
		return wrong(queue.ErrState, "it is paused")
	case answer[0] == 'F':
		last := reader{b: answer[1:]}
		return wrong(queue.ErrFired, "last fired for "+instant(last.uint(6)).Format(time.RFC3339))
	}
	r := reader{b: answer}
	now, mark := r.uint(6), r.uint(6)
	receipt := e.receipt(&p, &r, now, mark)
	if receipt.Err != nil {
		return receipt, &queue.Error{Op: "fire", Subject: name, Reason: receipt.Err, Detail: "nothing was changed"}
	}
	return receipt, nil
}

// DropSchedule implements [queue.Schedules].
func (e *Engine) DropSchedule(ctx context.Context, by queue.Actor, name string) error {
	return e.changeSchedule(ctx, by, "drop schedule", "drop", name, false)
}

// PauseSchedule implements [queue.Schedules].
func (e *Engine) PauseSchedule(ctx context.Context, by queue.Actor, name string, paused bool) error {
	if paused {
		return e.changeSchedule(ctx, by, "pause schedule", "pause", name, true)
	}
	return e.changeSchedule(ctx, by, "resume schedule", "pause", name, false)
}

func (e *Engine) changeSchedule(ctx context.Context, by queue.Actor, op, what, name string, paused bool) error {
	if err := by.Check(op); err != nil {
		return err
	}
	if err := e.usable(ctx, op); err != nil {
		return err
	}
	s, err := e.scheduleOf(ctx, name)
	if err != nil {
		return translated(op, err)
	}
	missing := &queue.Error{Op: op, Subject: name, Reason: queue.ErrNotFound}
	if s == nil {
		return missing
	}
	answer, there, err := e.on(ctx, scheduleScript, s.Queue, false, nil, func(*line) []string { return []string{what, name, flag(paused), actorOf(by, op)} })
	if err != nil {
		return translated(op, err)
	}
	if !there || string(answer) == "U" {
		return missing
	}
	return nil
}
