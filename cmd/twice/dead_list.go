package main

import (
	"context"

	"github.com/twicehq/twice/queue"
)

type deadListCmd struct {
	Queue  string `help:"Only of this queue." placeholder:"NAME"`
	Kind   string `help:"Only of this kind." placeholder:"NAME"`
	Reason string `help:"Only for this reason: failures, crashes, in_doubt, buried, …" placeholder:"WORD"`
	page
}

func (deadListCmd) Help() string {
	return `Use it first when something failed: it tells which jobs gave up, why, and with which error.

    twice dead list --kind orders.charge`
}

func (c deadListCmd) Run(ctx context.Context, s *session) error {
	records, next, err := c.list(ctx, s, "dead list", queue.Query{Queue: c.Queue, Kind: c.Kind, Reason: queue.Reason(c.Reason), State: queue.Dead})
	if err != nil {
		return err
	}
	if s.json {
		return s.emit(listed(records, next))
	}
	if len(records) == 0 {
		s.note("No dead job matches.")
		return nil
	}
	t := newTable("ID", "REASON", "QUEUE", "KIND", "KEY", ">TRIES", "DIED", "LAST ERROR")
	for _, r := range records {
		t.row(r.Job.ID.String(), cell{plain(string(r.Reason)), redInk}, plain(r.Job.Queue), plain(r.Job.Kind), clip(keyOf(r), 30),
			len(r.Attempts)+r.AttemptsDropped, s.at(r.EndedAt), clip(plain(firstLine(r.Error)), 60))
	}
	if err := t.print(s); err != nil {
		return err
	}
	s.further(next)
	return nil
}

type deadShowCmd struct {
	ID string `arg:"" name:"id" help:"The job's id."`
}

func (deadShowCmd) Help() string {
	return `Use it to decide about one dead job: everything that happened to it, its effects, and the commands that mend it. It fails for a job that is not dead.

    twice dead show 6f1c…e2`
}

func (c deadShowCmd) Run(ctx context.Context, s *session) error {
	id, err := queue.ParseID(c.ID)
	if err != nil {
		return err
	}
	l, err := s.look(ctx, "dead show", id)
	if err != nil {
		return err
	}
	if l.State != queue.Dead {
		return &queue.Error{Op: "dead show", Subject: id.String(), Reason: queue.ErrState, Detail: "it is " + l.State.String() + ", not dead", Remedy: "`twice job` shows jobs in any state"}
	}
	return l.show(s)
}
