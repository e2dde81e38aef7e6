package httpapi

import (
	"context"
	"encoding/json"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// Answer is a person's word on an effect of which nobody could tell whether it happened.
type Answer struct {
	Step     string `json:"step"`     // as the job's effects name it
	Happened bool   `json:"happened"` // required: there is no default for it
	// Result is what the handler would have recorded, of an effect that happened: JSON; none: null.
	Result json.RawMessage `json:"result,omitempty"`
	Why
}

// Resolved says what is left after an answer.
type Resolved struct {
	ID       queue.ID `json:"id"`
	Step     string   `json:"step"`
	Happened bool     `json:"happened"`
	Left     []string `json:"doubts_left"`
	Redriven bool     `json:"redriven"` // no doubt is left, so the job runs again
}

func (s *Server) resolve(ctx context.Context, c *call, a Answer) (Resolved, error) {
	by, err := c.actor(a.Why)
	if err != nil {
		return Resolved{}, err
	}
	if err := queue.CheckName("step", a.Step); err != nil {
		return Resolved{}, err
	}
	if !a.Happened && len(a.Result) > 0 {
		return Resolved{}, invalid(c.name, "field result", "an effect that did not happen has no result", "leave it out")
	}
	left, err := ledger.Resolve(ctx, s.engine, s.store, by, ledger.Key{Job: c.id("id"), Step: a.Step}, a.Happened, a.Result)
	if err != nil {
		return Resolved{}, err
	}
	r := Resolved{ID: c.id("id"), Step: a.Step, Happened: a.Happened, Left: []string{}, Redriven: len(left) == 0}
	for _, k := range left {
		r.Left = append(r.Left, k.Step)
	}
	return r, nil
}
