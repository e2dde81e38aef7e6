package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twicehq/twice/diagnose"
	"github.com/twicehq/twice/queue"
)

// place is what can be looked into: all queues, one of them, or a job.
type place struct {
	queue  string
	job    queue.ID
	chosen int // of the rows of its screen
	scroll int
}

func (p place) name() string { return p.queue + "/" + p.job.String() }

// screen is what is to be seen at a place.
type screen struct {
	at    string // the place's name
	title string
	lines []string
	rows  map[int]place // what can be looked into, by line
	when  time.Time
}

// see looks at a place.
func (t *top) see(ctx context.Context, at place) screen {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	t.watch.Take(ctx)
	var text bytes.Buffer
	s := *t.s
	s.Stdout, s.Stderr = &text, &text
	terminal := s.Terminal
	s.Terminal = func(stream any) bool { return stream == any(&text) || terminal(stream) }
	now := screen{at: at.name(), when: time.Now(), rows: map[int]place{}}
	var err error
	switch {
	case !at.job.IsZero():
		now.title = "job " + at.job.String()
		var l looked
		if l, err = s.look(ctx, topOp, at.job); err == nil {
			err = l.show(&s)
		}
	case at.queue != "":
		now.title = "queue " + plain(at.queue)
		err = t.inside(ctx, &s, at.queue, &text, now.rows)
	default:
		now.title = "all queues"
		if err = t.overview(&s); err == nil {
			for i, f := range t.findings() {
				if f.Queue != "" {
					now.rows[i+1] = place{queue: f.Queue}
				}
			}
		}
	}
	if err != nil {
		_ = s.write(&text, []byte("\n"+explain(err).text(&s)))
	}
	now.lines = strings.Split(strings.TrimRight(text.String(), "\n"), "\n")
	return now
}

// findings gives the verdicts, those first that need a person.
func (t *top) findings() []diagnose.Finding { return diagnoseCmd{}.sorted(t.watch.Findings()) }

// overview tells of all queues, one a line below the heads.
func (t *top) overview(s *session) error {
	samples := t.watch.Samples()
	if len(samples) == 0 {
		return nil
	}
	last := samples[len(samples)-1]
	table := newTable("QUEUE", "VERDICT", ">READY", "OLDEST DUE", ">RUNNING", ">SLOTS", ">IN/S", ">OUT/S", ">WAITING", ">DEAD", "SAYS")
	for _, f := range t.findings() {
		colour := greenInk
		if !f.Well {
			colour = redInk
		}
		name := plain(f.Queue)
		if name == "" {
			name = "the engine"
		}
		in, out, busy := "", "", ""
		if c := f.Capacity; c != nil {
			in, busy = amount(c.Arrivals, "/s"), fmt.Sprintf("%.0f of %d", c.Busy, c.Slots)
			if !c.Estimated { // else nothing ended, and it says what might have
				out = amount(c.Completions, "/s")
			}
		}
		i := slices.IndexFunc(last.Queues, func(d queue.Depth) bool { return d.Queue == f.Queue })
		if i < 0 {
			table.row(clip(name, 32), cell{inWords(f.Verdict), colour}, "", "", "", busy, in, out, "", "", plain(f.Says))
			continue
		}
		d := last.Queues[i]
		table.row(clip(name, 32), cell{inWords(f.Verdict), colour}, seen(d.Ready), s.age(d.OldestDue), d.Running, busy, in, out, seen(d.Waiting), d.Dead, plain(f.Says))
	}
	if len(table.rows) == 0 {
		return s.say("No queue yet: one begins with its first job.")
	}
	return table.print(s)
}

// jobsInside is how many of a queue's jobs are shown.
const jobsInside = 50

// inside tells of one queue, its workers and its newest jobs.
func (t *top) inside(ctx context.Context, s *session, name string, text *bytes.Buffer, rows map[int]place) error {
	for _, f := range t.watch.Findings() {
		if f.Queue == name {
			if err := printFindings(s, []diagnose.Finding{f}); err != nil {
				return err
			}
		}
	}
	page, err := t.look.List(ctx, queue.Query{Queue: name, Limit: jobsInside})
	if err != nil {
		return err
	}
	if err := s.say(""); err != nil {
		return err
	}
	above := bytes.Count(text.Bytes(), []byte("\n"))
	table := newTable("NEWEST JOBS", "STATE", "KIND", "KEY", ">TRIES", "WHEN", "ERROR")
	for i, r := range page.Records {
		table.row(r.Job.ID.String(), stateCell(r), plain(r.Job.Kind), clip(keyOf(r), 32), tries(r), s.when(r), clip(plain(firstLine(r.Error)), 60))
		rows[above+1+i] = place{queue: name, job: r.Job.ID}
	}
	return table.print(s)
}
