package httpapi

import (
	"context"
	"time"

	"github.com/twicehq/twice/queue"
)

// Books is what was accepted in a queue and what is there, or the sum over all.
type Books struct {
	Queue     string `json:"queue,omitempty"`
	Accepted  int64  `json:"accepted"`
	Queued    int64  `json:"queued"`
	Running   int64  `json:"running"`
	Done      int64  `json:"done"`
	Dead      int64  `json:"dead"`
	Cancelled int64  `json:"cancelled"`
	Pruned    int64  `json:"pruned"`
	Missing   int64  `json:"missing"` // above 0: lost; below: there twice
}

// Audit is the books of every queue, counted by scan.
type Audit struct {
	Engine     string  `json:"engine"`
	Durability string  `json:"durability"`
	Balanced   bool    `json:"balanced"` // nothing is missing
	Queues     []Books `json:"queues"`   // the first 1,000; the sum is over all
	Total      Books   `json:"total"`
}

// Trail is a page of changes by people, newest first.
type Trail struct {
	Changes []TrailEntry `json:"changes"`
	Next    string       `json:"next"` // the cursor of what follows; empty: nothing does
}

// TrailEntry is one change by a person.
type TrailEntry struct {
	At    time.Time `json:"at,omitzero"`
	Who   string    `json:"who"`
	Why   string    `json:"why"`
	What  string    `json:"what"` // cancel, redrive, discard, resolve, pause, resume, …
	Queue string    `json:"queue,omitempty"`
	Job   queue.ID  `json:"job,omitzero"`
	Note  string    `json:"note,omitempty"`
}

const maxBooks = 1000

func (s *Server) getAudit(ctx context.Context, c *call) (Audit, error) {
	auditor, err := queue.Need[queue.Auditor](s.engine, c.name)
	if err != nil {
		return Audit{}, err
	}
	leave, err := s.through(c.name)
	if err != nil {
		return Audit{}, err
	}
	defer leave()
	books, err := auditor.Audit(ctx)
	traits := s.engine.Traits()
	v := Audit{Engine: traits.Name, Durability: traits.Durability, Balanced: true, Queues: []Books{}}
	for _, b := range books {
		one := viewBooks(b)
		v.Total = v.Total.plus(one)
		v.Balanced = v.Balanced && one.Missing == 0
		if len(v.Queues) < maxBooks {
			v.Queues = append(v.Queues, one)
		}
	}
	return v, err
}

func viewBooks(b queue.Books) Books {
	t := b.Found
	return Books{b.Queue, b.Accepted, t.Queued, t.Running, t.Done, t.Dead, t.Cancelled, b.Pruned, b.Missing()}
}

func (b Books) plus(o Books) Books {
	return Books{"", b.Accepted + o.Accepted, b.Queued + o.Queued, b.Running + o.Running, b.Done + o.Done, b.Dead + o.Dead,
		b.Cancelled + o.Cancelled, b.Pruned + o.Pruned, b.Missing + o.Missing}
}

func (s *Server) listTrail(ctx context.Context, c *call) (Trail, error) {
	auditor, err := queue.Need[queue.Auditor](s.engine, c.name)
	if err != nil {
		return Trail{}, err
	}
	changes, next, err := auditor.Trail(ctx, c.text("cursor"), c.number("limit"))
	v := Trail{Changes: []TrailEntry{}, Next: next}
	for _, ch := range changes {
		v.Changes = append(v.Changes, TrailEntry{sane(ch.At), ch.By.Name, ch.By.Why, ch.What, ch.Queue, ch.Job, ch.Note})
	}
	return v, err
}
