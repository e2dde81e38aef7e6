package main

import (
	"context"
	"slices"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

type jobCmd struct {
	ID  string `arg:"" help:"The job's id; or its kind, where KEY follows." name:"id"`
	Key string `arg:"" optional:"" help:"The job's key, where its kind was given." name:"key"`
}

func (jobCmd) Help() string {
	return `Use it to learn what happened to one job and what can be done next. A job can be named by its id, or by its kind and key.

    twice job orders.charge o-17`
}

func (c jobCmd) Run(ctx context.Context, s *session) error {
	id := queue.NewID(c.ID, c.Key)
	if c.Key == "" {
		var err error
		if id, err = queue.ParseID(c.ID); err != nil {
			return err
		}
	} else if err := queue.CheckName("kind", c.ID); err != nil {
		return err
	}
	l, err := s.look(ctx, "job", id)
	if err != nil {
		return err
	}
	return l.show(s)
}

// looked is all that can be known of one job.
type looked struct {
	queue.Record
	entries []ledger.Entry // of the ledger, where there is one
	paused  bool           // its queue
}

func (s *session) look(ctx context.Context, op string, id queue.ID) (looked, error) {
	var l looked
	engine, inspect, err := with[queue.Inspector](ctx, s, op)
	if err != nil {
		return l, err
	}
	if l.Record, err = inspect.Job(ctx, id); missing(err) {
		return l, &queue.Error{Op: op, Subject: id.String(), Reason: queue.ErrNotFound,
			Detail: "the engine has no such job: it was never accepted here, or it ended and was forgotten since (done and cancelled ones are after " + engine.Traits().UniqueFor.String() + ")",
			Remedy: "`twice jobs` lists what there is; --engine names another engine"}
	} else if err != nil {
		return l, err
	}
	if l.State == queue.Queued && l.Job.Queue != "" {
		if depths, err := inspect.Depths(ctx, l.Job.Queue); err == nil {
			l.paused = slices.ContainsFunc(depths, func(d queue.Depth) bool { return d.Queue == l.Job.Queue && d.Paused })
		}
	}
	store, err := s.ledger(ctx, engine)
	if err != nil || store == nil {
		return l, err
	}
	l.entries, err = store.Entries(ctx, id)
	return l, err
}

// effects gives what the ledger has, which is newest, and what the job's record lists beside that.
func (l looked) effects() []effectView {
	views := []effectView{}
	for _, e := range l.entries {
		views = append(views, viewEntry(e))
	}
	for _, e := range l.Effects {
		if !slices.ContainsFunc(l.entries, func(have ledger.Entry) bool { return have.Key.Step == e.Step }) {
			views = append(views, effectView{Step: e.Step, State: string(e.State)})
		}
	}
	return views
}

// doubts are the steps that wait for a person's answer.
func (l looked) doubts() []string {
	var steps []string
	for _, e := range l.effects() {
		if e.State == string(ledger.Unknown) || e.State == string(ledger.Pending) && l.Reason == queue.ReasonDoubt {
			steps = append(steps, e.Step)
		}
	}
	return steps
}
