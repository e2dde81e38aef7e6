package httpapi

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/twicehq/twice/queue"
)

// Queue is the counts of one queue. The five states are exact as of AsOf, at most 5 s ago.
type Queue struct {
	Queue     string    `json:"queue"`
	Paused    bool      `json:"paused"`
	Accepted  int64     `json:"accepted"`
	Queued    int64     `json:"queued"`
	Waiting   Seen      `json:"waiting"` // of the queued: not due yet
	Ready     Seen      `json:"ready"`   // of the queued: due
	Running   int64     `json:"running"`
	Expired   Seen      `json:"expired"` // of the running: their lease ran out
	Done      int64     `json:"done"`
	Dead      int64     `json:"dead"`
	Cancelled int64     `json:"cancelled"`
	Pruned    int64     `json:"pruned"`
	OldestDue time.Time `json:"oldest_due,omitzero"` // since when the first ready job has been due; absent: none is
	AsOf      time.Time `json:"as_of,omitzero"`
}

// Seen is a count that stops at 10,000: then there are more.
type Seen struct {
	N    int  `json:"n"`
	More bool `json:"more"`
}

// Queues is a page of queues, by name.
type Queues struct {
	Queues []Queue `json:"queues"`
	Next   string  `json:"next"` // the cursor of what follows; empty: nothing does
}

// Pausing asks to pause a queue.
type Pausing struct {
	// New pauses a queue also where nothing was ever handed in to it; else that is not found, since its name is likely
	// mistyped.
	New bool `json:"new,omitempty"`
	Why
}

// Paused says whether a queue or a schedule is paused now.
type Paused struct {
	Name   string `json:"name"`
	Paused bool   `json:"paused"`
}

func viewQueue(d queue.Depth) Queue {
	return Queue{d.Queue, d.Paused, d.Accepted, d.Queued, Seen(d.Waiting), Seen(d.Ready), d.Running, Seen(d.Expired),
		d.Done, d.Dead, d.Cancelled, d.Pruned, sane(d.OldestDue), sane(d.AsOf)}
}

func (s *Server) listQueues(ctx context.Context, c *call) (Queues, error) {
	look, err := queue.Need[queue.Inspector](s.engine, c.name)
	if err != nil {
		return Queues{}, err
	}
	depths, err := look.Depths(ctx)
	page, next := paged(depths, c, func(d queue.Depth) string { return d.Queue })
	all := Queues{Queues: []Queue{}, Next: next}
	for _, d := range page {
		all.Queues = append(all.Queues, viewQueue(d))
	}
	return all, err
}

// paged gives the part of a list, sorted by name, that the call asks for. A cursor is the last name of the page before.
func paged[T any](all []T, c *call, name func(T) string) (page []T, next string) {
	slices.SortFunc(all, func(a, b T) int { return strings.Compare(name(a), name(b)) })
	if after := c.text("cursor"); after != "" {
		all = slices.DeleteFunc(all, func(v T) bool { return name(v) <= after })
	}
	if limit := c.number("limit"); len(all) > limit {
		return all[:limit], name(all[limit-1])
	}
	return all, ""
}

func (s *Server) getQueue(ctx context.Context, c *call) (Queue, error) {
	d, err := s.depth(ctx, c.name, c.text("queue"))
	return viewQueue(d), err
}

// depth gives the counts of a queue. It fails with ErrNotFound where nothing was ever handed in to it, nor is it paused.
func (s *Server) depth(ctx context.Context, op, name string) (queue.Depth, error) {
	look, err := queue.Need[queue.Inspector](s.engine, op)
	if err != nil {
		return queue.Depth{}, err
	}
	depths, err := look.Depths(ctx, name)
	if err != nil {
		return queue.Depth{}, err
	}
	for _, d := range depths {
		if d.Queue == name && (d.Accepted > 0 || d.Paused) {
			return d, nil
		}
	}
	return queue.Depth{}, &queue.Error{Op: op, Subject: name, Reason: queue.ErrNotFound, Detail: "nothing was ever handed in to a queue of that name", Remedy: "/api/v1/queues lists them"}
}

func (s *Server) pauseQueue(ctx context.Context, c *call, p Pausing) (Paused, error) {
	return s.setPaused(ctx, c, p.Why, !p.New, true)
}

func (s *Server) resumeQueue(ctx context.Context, c *call, w Why) (Paused, error) {
	return s.setPaused(ctx, c, w, true, false)
}

// setPaused pauses or resumes. An engine that cannot look its queues up is believed that there is one of the name.
func (s *Server) setPaused(ctx context.Context, c *call, w Why, known, paused bool) (Paused, error) {
	by, err := c.actor(w)
	if err != nil {
		return Paused{}, err
	}
	pauser, err := queue.Need[queue.Pauser](s.engine, c.name)
	if err != nil {
		return Paused{}, err
	}
	name := c.text("queue")
	if _, looks := queue.As[queue.Inspector](s.engine); known && looks {
		if _, err := s.depth(ctx, c.name, name); err != nil {
			return Paused{}, err
		}
	}
	set := pauser.Resume
	if paused {
		set = pauser.Pause
	}
	return Paused{name, paused}, set(ctx, by, name)
}
