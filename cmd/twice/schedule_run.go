package main

import (
	"context"
	"time"

	"github.com/twicehq/twice/cron"
	"github.com/twicehq/twice/queue"
)

type scheduleRunCmd struct {
	Name    string `arg:"" name:"name" help:"The entry."`
	Payload string `help:"The job's arguments, which the scheduler's program makes and this one cannot know: JSON, @FILE, or - for stdin. Required." placeholder:"JSON"`
}

func (scheduleRunCmd) Help() string {
	return `Use it to run an entry's job now, beside its schedule, which goes on as it was; also while the entry is paused. The job's key is the entry's name and this second.

    twice schedule run orders.reconcile --payload '{"day":"2030-01-31"}'`
}

const scheduleRunOp = "schedule run"

func (c scheduleRunCmd) Run(ctx context.Context, s *session) error {
	if err := queue.CheckName("schedule", c.Name); err != nil {
		return err
	}
	if c.Payload == "" {
		return usage(scheduleRunOp, "it has no payload", "add --payload JSON: what the program gives the job at such an instant; '{}' where the kind takes no arguments")
	}
	payload, err := enqueueCmd{Payload: c.Payload, MaxPayload: queue.DefaultMaxPayload}.payload(s)
	if err != nil {
		return err
	}
	engine, schedules, err := with[queue.Schedules](ctx, s, scheduleRunOp)
	if err != nil {
		return err
	}
	all, err := schedules.Schedules(ctx)
	if err != nil {
		return err
	}
	for _, e := range all {
		if e.Name != c.Name {
			continue
		}
		job, err := queue.Job{Queue: e.Queue, Kind: e.Kind, Key: cron.Key(e.Name, s.Now().Truncate(time.Second)), Payload: payload}.Prepared(engine.Traits().MaxPayload, s.Now())
		if err != nil {
			return err
		}
		receipts, err := engine.Enqueue(ctx, job)
		if err != nil {
			return err
		}
		return s.receipt(ctx, engine, job, receipts[0])
	}
	return noSchedule(scheduleRunOp, c.Name)
}

func noSchedule(op, name string) error {
	return &queue.Error{Op: op, Subject: name, Reason: queue.ErrNotFound, Detail: "no entry of that name is stored", Remedy: "`twice schedule list` lists them"}
}
