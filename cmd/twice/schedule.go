package main

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/twicehq/twice/queue"
)

type scheduleListCmd struct{}

func (scheduleListCmd) Help() string {
	return `Use it to see which cron entries there are, and when each last fired.

    twice schedule list`
}

type scheduleView struct {
	Name   string    `json:"name"`
	Spec   string    `json:"spec"`
	Zone   string    `json:"zone"`
	Queue  string    `json:"queue"`
	Kind   string    `json:"kind"`
	Last   time.Time `json:"last,omitzero"`
	Since  time.Time `json:"since,omitzero"`
	Paused bool      `json:"paused"`
}

func (scheduleListCmd) Run(ctx context.Context, s *session) error {
	_, schedules, err := with[queue.Schedules](ctx, s, "schedule list")
	if err != nil {
		return err
	}
	all, err := schedules.Schedules(ctx)
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b queue.Schedule) int { return strings.Compare(a.Name, b.Name) })
	if s.json {
		views := []scheduleView{}
		for _, e := range all {
			views = append(views, scheduleView{e.Name, e.Spec, cmp.Or(e.Zone, "UTC"), e.Queue, e.Kind, e.Last, e.Since, e.Paused})
		}
		return s.emit(views)
	}
	if len(all) == 0 {
		s.note("No cron entry is stored: a scheduler stores those it knows when it starts.")
		return nil
	}
	t := newTable("NAME", "SPEC", "ZONE", "QUEUE", "KIND", "LAST FIRED", "NOTE")
	for _, e := range all {
		t.row(plain(e.Name), named(e.Spec), plain(cmp.Or(e.Zone, "UTC")), plain(e.Queue), plain(e.Kind), s.at(e.Last), cell{note(e.Paused, "paused"), yellowInk})
	}
	return t.print(s)
}

type schedulePauseCmd struct {
	Name string `arg:"" name:"name" help:"The entry."`
	person
}

func (schedulePauseCmd) Help() string {
	return `Use it to keep an entry from firing without taking it out of the program. Jobs it has made already are not touched.

    twice schedule pause orders.reconcile --why "gateway exports are late today"`
}

func (c schedulePauseCmd) Run(ctx context.Context, s *session) error {
	return s.pauseSchedule(ctx, "schedule pause", c.Name, true, c.person)
}

type scheduleResumeCmd struct {
	Name string `arg:"" name:"name" help:"The entry."`
	person
}

func (scheduleResumeCmd) Help() string {
	return `Use it to undo twice schedule pause.

    twice schedule resume orders.reconcile --why "exports are there"`
}

func (c scheduleResumeCmd) Run(ctx context.Context, s *session) error {
	return s.pauseSchedule(ctx, "schedule resume", c.Name, false, c.person)
}

func (s *session) pauseSchedule(ctx context.Context, op, name string, paused bool, p person) error {
	by, err := p.actor(s, op)
	if err != nil {
		return err
	}
	if err := queue.CheckName("schedule", name); err != nil {
		return err
	}
	_, schedules, err := with[queue.Schedules](ctx, s, op)
	if err != nil {
		return err
	}
	if err := schedules.PauseSchedule(ctx, by, name, paused); missing(err) {
		return noSchedule(op, name)
	} else if err != nil {
		return err
	}
	if s.json {
		return s.emit(struct {
			Name   string `json:"name"`
			Paused bool   `json:"paused"`
		}{name, paused})
	}
	did := "resumed"
	if paused {
		did = "paused"
	}
	return s.say("schedule %s is %s", plain(name), did)
}
