package httpapi

import (
	"context"
	"slices"

	"github.com/twicehq/twice/diagnose"
	"github.com/twicehq/twice/queue"
)

// Verdicts are what is said of each queue, by name.
type Verdicts struct {
	Verdicts []diagnose.Finding `json:"verdicts"`
	Well     bool               `json:"well"` // nobody needs to act on any of them
	Next     string             `json:"next"` // the cursor of what follows; empty: nothing does
}

// Slots is the scaling signal of a queue.
type Slots struct {
	Queue   string           `json:"queue"`
	Needed  int              `json:"slots_needed"` // so that 80 % of them are busy
	Slots   int              `json:"slots"`        // that there are
	Verdict diagnose.Verdict `json:"verdict"`
}

func (s *Server) findings(ctx context.Context, op string) ([]diagnose.Finding, error) {
	if s.cfg.Findings == nil {
		return nil, &queue.Error{Op: op, Subject: s.engine.Traits().Name, Reason: queue.ErrUnsupported, Detail: "this server takes no samples", Remedy: "run it where the verdicts are made: `twice serve`"}
	}
	return s.cfg.Findings(ctx)
}

func (s *Server) listVerdicts(ctx context.Context, c *call) (Verdicts, error) {
	found, err := s.findings(ctx, c.name)
	all := Verdicts{Verdicts: []diagnose.Finding{}, Well: !slices.ContainsFunc(found, func(f diagnose.Finding) bool { return !f.Well })}
	page, next := paged(slices.Clone(found), c, func(f diagnose.Finding) string { return f.Queue })
	for _, f := range page {
		all.Verdicts = append(all.Verdicts, told(f))
	}
	all.Next = next
	return all, err
}

func (s *Server) getVerdict(ctx context.Context, c *call) (diagnose.Finding, error) {
	found, err := s.findings(ctx, c.name)
	if err != nil {
		return diagnose.Finding{}, err
	}
	name := c.text("queue")
	at := slices.IndexFunc(found, func(f diagnose.Finding) bool { return f.Queue == name })
	if at < 0 { // a finding without a queue is on all of them
		at = slices.IndexFunc(found, func(f diagnose.Finding) bool { return f.Queue == "" })
	}
	if at < 0 {
		return diagnose.Finding{}, &queue.Error{Op: c.name, Subject: name, Reason: queue.ErrNotFound, Detail: "nothing is known of a queue of that name", Remedy: "/api/v1/verdicts lists them"}
	}
	return told(found[at]), nil
}

// getSlots gives a number only where there is one: a scaler that is told nothing leaves things as they are.
func (s *Server) getSlots(ctx context.Context, c *call) (Slots, error) {
	f, err := s.getVerdict(ctx, c)
	if err != nil {
		return Slots{}, err
	}
	v := Slots{Queue: c.text("queue"), Verdict: f.Verdict}
	switch {
	case f.Capacity != nil && f.Verdict != diagnose.BrokerDown && f.Verdict != diagnose.NoData:
		v.Needed, v.Slots = f.Capacity.Needed, f.Capacity.Slots
	case f.Verdict == diagnose.Idle:
	case f.Verdict == diagnose.NoConsumer || f.Verdict == diagnose.ConsumerDead:
		v.Needed = 1 // jobs are due and nobody runs them: how many it takes is seen once one does
	default:
		return Slots{}, &queue.Error{Op: c.name, Subject: v.Queue, Reason: queue.ErrUnavailable, Detail: "how many slots it needs is not known: it is " + string(f.Verdict), Remedy: "leave them as they are"}
	}
	return v, nil
}

// told is a finding that JSON can hold, with lists that are there.
func told(f diagnose.Finding) diagnose.Finding {
	f.Since, f.At = sane(f.Since), sane(f.At)
	f.Evidence = append([]diagnose.Evidence{}, f.Evidence...)
	for i := range f.Evidence {
		f.Evidence[i].Value = finite(f.Evidence[i].Value)
	}
	if f.Capacity != nil {
		c := *f.Capacity
		c.Arrivals, c.Completions, c.Busy, c.Utilisation = finite(c.Arrivals), finite(c.Completions), finite(c.Busy), finite(c.Utilisation)
		c.Drained, c.DrainedBy = sane(c.Drained), sane(c.DrainedBy)
		f.Capacity = &c
	}
	return f
}
