package main

import (
	"context"

	"github.com/twicehq/twice/queue"
)

// deadChoice is how dead jobs are chosen: by id, or by a filter.
type deadChoice struct {
	IDs    []string `arg:"" optional:"" name:"id" help:"The jobs' ids; none, where they are chosen by a filter."`
	Queue  string   `help:"All that are dead in this queue." placeholder:"NAME"`
	Kind   string   `help:"All that are dead of this kind." placeholder:"NAME"`
	Reason string   `help:"All that are dead for this reason: failures, crashes, buried, …" placeholder:"WORD"`
	All    bool     `help:"All that are dead."`
	bulk
}

// chosen are the jobs of a choice.
type chosen struct {
	found
	byFilter bool
}

// choose finds the jobs. By a filter, jobs in doubt are left out, and counted, unless doubts says otherwise.
func (c deadChoice) choose(ctx context.Context, s *session, op string, doubts bool) (chosen, error) {
	var none chosen
	q := queue.Query{State: queue.Dead, Queue: c.Queue, Kind: c.Kind, Reason: queue.Reason(c.Reason)}
	filtered := c.All || c.Queue != "" || c.Kind != "" || c.Reason != ""
	switch {
	case len(c.IDs) > 0 && filtered:
		return none, usage(op, "it names ids and a filter as well", "give one of the two")
	case len(c.IDs) == 0 && !filtered:
		return none, usage(op, "it does not say which jobs", "give ids, or --queue, --kind or --reason, or --all")
	case len(c.IDs) > 0:
		ids, err := parseIDs(op, c.IDs)
		return chosen{found: found{ids: ids}}, err
	}
	if err := c.check(op); err != nil {
		return none, err
	}
	if err := checkFilter(op, q); err != nil {
		return none, err
	}
	_, look, err := with[queue.Inspector](ctx, s, op)
	if err != nil {
		return none, err
	}
	f, err := s.scan(ctx, look, q, c.Limit, func(r queue.Record) bool { return doubts || r.Reason != queue.ReasonDoubt })
	return chosen{f, true}, err
}

// settle asks where that is due, does it and reports. verb and did are as in "redrive" and "redriven".
func (c deadChoice) settle(ctx context.Context, s *session, which chosen, op, verb, did string, do func(context.Context, []queue.ID) ([]error, error)) error {
	done := changes{Matched: len(which.ids), InDoubt: which.leftOut, More: which.more, DryRun: c.DryRun}
	switch {
	case c.DryRun:
		return s.report(done, did)
	case which.byFilter && len(which.ids) > 0:
		if err := s.confirm(c.bulk, op, verb+" "+many(len(which.ids), "dead job", "dead jobs")); err != nil {
			return err
		}
	}
	if err := s.change(ctx, op, &done, which.ids, do); err != nil {
		return err
	}
	return s.report(done, did)
}
