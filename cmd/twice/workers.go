package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twicehq/twice/queue"
)

type workersCmd struct{}

func (workersCmd) Help() string {
	return `Use it when jobs are due and none begins: it tells which worker processes live, what they serve, and what each slot does.

    twice workers`
}

type workerView struct {
	Name     string         `json:"name"`
	Host     string         `json:"host"`
	PID      int            `json:"pid"`
	Version  string         `json:"version"`
	Queues   []string       `json:"queues"`
	Kinds    []string       `json:"kinds"`
	Slots    int            `json:"slots"`
	Busy     int            `json:"busy"`
	Deaf     int            `json:"deaf"`
	Started  time.Time      `json:"started,omitzero"`
	LastPoll time.Time      `json:"last_poll,omitzero"`
	SeenAt   time.Time      `json:"seen_at,omitzero"`
	Silent   bool           `json:"silent"`
	Running  []progressView `json:"running"`
	Recent   []recentView   `json:"recent"` // since its start, by queue and kind
}

type progressView struct {
	Job     queue.ID  `json:"job"`
	Queue   string    `json:"queue"`
	Kind    string    `json:"kind"`
	Attempt int64     `json:"attempt"`
	Since   time.Time `json:"since"`
	Done    int       `json:"done"`
	Total   int       `json:"total"`
	Moved   time.Time `json:"moved,omitzero"` // when the handler last reported progress
}

type recentView struct {
	Queue       string  `json:"queue"`
	Kind        string  `json:"kind"`
	Begun       int64   `json:"begun"`
	Done        int64   `json:"done"`
	Failed      int64   `json:"failed"`
	TimedOut    int64   `json:"timed_out"`
	Panicked    int64   `json:"panicked"`
	Interrupted int64   `json:"interrupted"`
	Snoozed     int64   `json:"snoozed"`
	Buried      int64   `json:"buried"`
	Lost        int64   `json:"lost"`
	Dead        int64   `json:"dead"`
	P50Seconds  float64 `json:"p50_seconds"`
	P99Seconds  float64 `json:"p99_seconds"`
}

func (workersCmd) Run(ctx context.Context, s *session) error {
	_, presence, err := with[queue.Presence](ctx, s, "workers")
	if err != nil {
		return err
	}
	workers, err := presence.Workers(ctx)
	if err != nil {
		return err
	}
	slices.SortFunc(workers, func(a, b queue.Worker) int { return strings.Compare(a.Name, b.Name) })
	if s.json {
		return s.emit(viewWorkers(workers))
	}
	if len(workers) == 0 {
		s.note("No worker process has announced itself: nothing runs jobs here.")
		return nil
	}
	t := newTable("WORKER", "STATE", ">BUSY", ">SLOTS", ">DEAF", "QUEUES", "KINDS", "SEEN", "STARTED", "VERSION")
	running := newTable("JOB", "KIND", ">ATTEMPT", "SINCE", ">PROGRESS", "WORKER")
	for _, w := range workers {
		state := cell{"live", greenInk}
		if w.Silent {
			state = cell{"silent", redInk}
		}
		deaf := cell{text: count(w.Deaf)}
		if w.Deaf > 0 {
			deaf.ink = redInk
		}
		t.row(clip(named(w.Name), 40), state, w.Busy, w.Slots, deaf, listOf(w.Queues), listOf(w.Kinds), s.age(w.SeenAt), s.age(w.Started), clip(plain(w.Version), 20))
		for _, p := range w.Running {
			done := note(p.Total > 0, fmt.Sprintf("%s of %s", count(p.Done), count(p.Total)))
			running.row(p.Job.String(), plain(p.Kind), p.Attempt, s.at(p.Since), done, clip(named(w.Name), 40))
		}
	}
	if err := t.print(s); err != nil || len(running.rows) == 0 {
		return err
	}
	if err := s.say(""); err != nil {
		return err
	}
	return running.print(s)
}

// listOf shows some names of a list that may be long.
func listOf(names []string) string {
	shown := make([]string, 0, 4)
	for i, n := range names {
		if i == 3 && len(names) > 4 {
			shown = append(shown, fmt.Sprintf("and %d more", len(names)-3))
			break
		}
		shown = append(shown, clip(plain(n), 32))
	}
	return strings.Join(shown, ", ")
}

func viewWorkers(workers []queue.Worker) []workerView {
	views := []workerView{}
	for _, w := range workers {
		v := workerView{w.Name, w.Host, w.PID, w.Version, append([]string{}, w.Queues...), append([]string{}, w.Kinds...), w.Slots, w.Busy, w.Deaf,
			w.Started, w.LastPoll, w.SeenAt, w.Silent, []progressView{}, []recentView{}}
		for _, p := range w.Running {
			v.Running = append(v.Running, progressView(p))
		}
		for _, r := range w.Recent {
			v.Recent = append(v.Recent, recentView{r.Queue, r.Kind, r.Begun, r.Done, r.Failed, r.TimedOut, r.Panicked, r.Interrupted, r.Snoozed, r.Buried,
				r.Lost, r.Dead, r.P50.Seconds(), r.P99.Seconds()})
		}
		views = append(views, v)
	}
	return views
}
