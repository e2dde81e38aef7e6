package main

import (
	"context"
	"fmt"

	"github.com/twicehq/twice/queue"
)

type jobsCmd struct {
	Queue  string `help:"Only of this queue." placeholder:"NAME"`
	Kind   string `help:"Only of this kind." placeholder:"NAME"`
	State  string `help:"Only in this state: queued, running, done, dead or cancelled." placeholder:"STATE"`
	Reason string `help:"Only dead or cancelled for this reason." placeholder:"WORD"`
	page
}

// page is a part of a list.
type page struct {
	Limit  int    `help:"At most so many (${default})." default:"50" placeholder:"N"`
	Cursor string `help:"Go on where the page before ended." placeholder:"TEXT"`
}

func (jobsCmd) Help() string {
	return `Use it to see what a queue is made of, or to find a job whose id you do not have.

    twice jobs --state queued --kind orders.charge --limit 20`
}

func (c jobsCmd) Run(ctx context.Context, s *session) error {
	q := queue.Query{Queue: c.Queue, Kind: c.Kind, Reason: queue.Reason(c.Reason)}
	if c.State != "" {
		if err := q.State.UnmarshalText([]byte(c.State)); err != nil {
			return usagef("jobs", "use queued, running, done, dead or cancelled", "there is no state %.40q", c.State)
		}
	}
	records, next, err := c.list(ctx, s, "jobs", q)
	if err != nil {
		return err
	}
	if s.json {
		return s.emit(listed(records, next))
	}
	if len(records) == 0 {
		s.note("No job matches.")
		return nil
	}
	t := newTable("ID", "STATE", "QUEUE", "KIND", "KEY", ">TRIES", "WHEN")
	for _, r := range records {
		t.row(r.Job.ID.String(), stateCell(r), plain(r.Job.Queue), plain(r.Job.Kind), clip(keyOf(r), 40), tries(r), s.when(r))
	}
	if err := t.print(s); err != nil {
		return err
	}
	s.further(next)
	return nil
}

// list checks the filter and reads the page.
func (p page) list(ctx context.Context, s *session, op string, q queue.Query) ([]queue.Record, string, error) {
	if err := p.check(op); err != nil {
		return nil, "", err
	}
	if err := checkFilter(op, q); err != nil {
		return nil, "", err
	}
	_, look, err := with[queue.Inspector](ctx, s, op)
	if err != nil {
		return nil, "", err
	}
	q.Limit, q.Cursor = p.Limit, p.Cursor
	got, err := look.List(ctx, q)
	return got.Records, got.Next, err
}

func (p page) check(op string) error {
	if p.Limit < 1 || p.Limit > queue.MaxPage {
		return usagef(op, fmt.Sprintf("use 1 to %d, and --cursor for what follows", queue.MaxPage), "--limit is %d", p.Limit)
	}
	return nil
}

// checkFilter fails where a filter could match nothing because it is mistyped.
func checkFilter(op string, q queue.Query) error {
	for what, name := range map[string]string{"queue": q.Queue, "kind": q.Kind} {
		if name != "" {
			if err := queue.CheckName(what, name); err != nil {
				return err
			}
		}
	}
	if q.Reason == "" {
		return nil
	}
	for _, known := range knownReasons {
		if known == q.Reason {
			return nil
		}
	}
	return usagef(op, "use one of "+reasonWords, "there is no reason %.40q", string(q.Reason))
}

var knownReasons = []queue.Reason{queue.ReasonFailures, queue.ReasonCrashes, queue.ReasonInterruptions, queue.ReasonSnoozes, queue.ReasonBuried,
	queue.ReasonUndecodable, queue.ReasonDeadline, queue.ReasonDoubt, queue.ReasonCancelled, queue.ReasonDiscarded}

const reasonWords = "failures, crashes, interruptions, snoozes, buried, undecodable, deadline, in_doubt, cancelled, discarded"

// listView is a page of jobs in JSON.
type listView struct {
	Jobs []jobView `json:"jobs"`
	Next string    `json:"next"` // the cursor of what follows; empty: nothing does
}

func listed(records []queue.Record, next string) listView {
	v := listView{Jobs: []jobView{}, Next: next}
	for _, r := range records {
		v.Jobs = append(v.Jobs, viewJob(r))
	}
	return v
}

func (s *session) further(next string) {
	if next != "" {
		s.note("There are more: add --cursor %s", plain(next))
	}
}

func stateCell(r queue.Record) cell {
	text := r.State.String()
	if r.Reason != "" && string(r.Reason) != text {
		text += " (" + plain(string(r.Reason)) + ")"
	}
	return cell{text, ink(r.State.String())}
}

// keyOf shows a job's key; "-" where it is no longer kept.
func keyOf(r queue.Record) string {
	if r.Job.Key == "" && !r.Whole {
		return "-"
	}
	return named(r.Job.Key)
}

// when shows the time that matters in the job's state.
func (s *session) when(r queue.Record) string {
	switch {
	case r.State == queue.Queued:
		return "due " + s.at(r.RunAt)
	case r.State == queue.Running:
		return "since " + s.at(r.ClaimedAt)
	}
	return "ended " + s.at(r.EndedAt)
}

// tries is how many attempts ended so far; of a job that is done the record may no longer say.
func tries(r queue.Record) any {
	if !r.Whole {
		return "-"
	}
	return len(r.Attempts) + r.AttemptsDropped
}
