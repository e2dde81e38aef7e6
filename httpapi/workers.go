package httpapi

import (
	"context"
	"time"

	"github.com/twicehq/twice/queue"
)

// Worker is one worker process as it described itself; what it said is bounded.
type Worker struct {
	Name     string     `json:"name"`
	Host     string     `json:"host"`
	PID      int        `json:"pid"`
	Version  string     `json:"version"`
	Queues   []string   `json:"queues"` // the first 100
	Kinds    []string   `json:"kinds"`  // the first 100
	Slots    int        `json:"slots"`  // in all
	Busy     int        `json:"busy"`
	Deaf     int        `json:"deaf"` // written off: their handler does not end
	Started  time.Time  `json:"started,omitzero"`
	LastPoll time.Time  `json:"last_poll,omitzero"`
	SeenAt   time.Time  `json:"seen_at,omitzero"` // by the engine's clock
	Silent   bool       `json:"silent"`           // it has not announced itself for as long as its word holds
	Running  []Progress `json:"running"`          // the first 1,000
}

// Progress tells of one running attempt: Done of Total, as its handler reported; 0 of 0: it did not.
type Progress struct {
	Job     queue.ID  `json:"job"`
	Queue   string    `json:"queue,omitempty"`
	Kind    string    `json:"kind"`
	Attempt int64     `json:"attempt"`
	Since   time.Time `json:"since,omitzero"`
	Done    int       `json:"done"`
	Total   int       `json:"total"`
	Moved   time.Time `json:"moved_at,omitzero"` // when its handler last reported
}

// Workers is a page of workers, by name.
type Workers struct {
	Workers []Worker `json:"workers"`
	Next    string   `json:"next"` // the cursor of what follows; empty: nothing does
}

// Bounds of what a worker may say of itself.
const (
	maxSaid    = 200 // bytes of a text
	maxNames   = 100
	maxRunning = 1000
)

func (s *Server) listWorkers(ctx context.Context, c *call) (Workers, error) {
	presence, err := queue.Need[queue.Presence](s.engine, c.name)
	if err != nil {
		return Workers{}, err
	}
	known, err := presence.Workers(ctx)
	page, next := paged(known, c, func(w queue.Worker) string { return w.Name })
	all := Workers{Workers: []Worker{}, Next: next}
	for _, w := range page {
		all.Workers = append(all.Workers, viewWorker(w))
	}
	return all, err
}

func viewWorker(w queue.Worker) Worker {
	v := Worker{cut(w.Name, maxSaid), cut(w.Host, maxSaid), w.PID, cut(w.Version, maxSaid), said(w.Queues), said(w.Kinds), w.Slots, w.Busy, w.Deaf,
		sane(w.Started), sane(w.LastPoll), sane(w.SeenAt), w.Silent, []Progress{}}
	for _, p := range w.Running[:min(maxRunning, len(w.Running))] {
		v.Running = append(v.Running, Progress{p.Job, cut(p.Queue, maxSaid), cut(p.Kind, maxSaid), p.Attempt, sane(p.Since), p.Done, p.Total, sane(p.Moved)})
	}
	return v
}

func said(names []string) []string {
	some := []string{}
	for _, n := range names[:min(maxNames, len(names))] {
		some = append(some, cut(n, maxSaid))
	}
	return some
}
