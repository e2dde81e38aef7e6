package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/twicehq/twice/queue"
)

type queueListCmd struct{}

func (queueListCmd) Help() string {
	return `Use it to see at a glance how far behind each queue is, and whether it is paused.

    twice queue list`
}

// depthView is a queue's counts in JSON.
type depthView struct {
	Queue     string    `json:"queue"`
	Paused    bool      `json:"paused"`
	Accepted  int64     `json:"accepted"`
	Queued    int64     `json:"queued"`
	Waiting   seenView  `json:"waiting"` // of the queued: not due yet
	Ready     seenView  `json:"ready"`   // of the queued: due
	Running   int64     `json:"running"`
	Expired   seenView  `json:"expired"` // of the running: their lease ran out
	Done      int64     `json:"done"`
	Dead      int64     `json:"dead"`
	Cancelled int64     `json:"cancelled"`
	Pruned    int64     `json:"pruned"`
	OldestDue time.Time `json:"oldest_due,omitzero"`
	AsOf      time.Time `json:"as_of"`
}

type seenView struct {
	N    int  `json:"n"`
	More bool `json:"more"` // at least n
}

func (queueListCmd) Run(ctx context.Context, s *session) error {
	_, look, err := with[queue.Inspector](ctx, s, "queue list")
	if err != nil {
		return err
	}
	depths, err := look.Depths(ctx)
	if err != nil {
		return err
	}
	slices.SortFunc(depths, func(a, b queue.Depth) int { return strings.Compare(a.Queue, b.Queue) })
	if s.json {
		views := []depthView{}
		for _, d := range depths {
			views = append(views, depthView{d.Queue, d.Paused, d.Accepted, d.Queued, seenView(d.Waiting), seenView(d.Ready), d.Running,
				seenView(d.Expired), d.Done, d.Dead, d.Cancelled, d.Pruned, d.OldestDue, d.AsOf})
		}
		return s.emit(views)
	}
	if len(depths) == 0 {
		s.note("No queue yet: one begins with its first job.")
		return nil
	}
	t := newTable("QUEUE", ">QUEUED", ">READY", ">WAITING", ">RUNNING", ">EXPIRED", ">DONE", ">DEAD", ">CANCELLED", "OLDEST DUE", "NOTE")
	oldest := s.Now()
	for _, d := range depths {
		dead, paused := cell{text: count(d.Dead)}, cell{text: note(d.Paused, "paused"), ink: yellowInk}
		if d.Dead > 0 {
			dead.ink = redInk
		}
		t.row(plain(d.Queue), d.Queued, seen(d.Ready), seen(d.Waiting), d.Running, seen(d.Expired), d.Done, dead, d.Cancelled, s.at(d.OldestDue), paused)
		if d.AsOf.Before(oldest) {
			oldest = d.AsOf
		}
	}
	if err := t.print(s); err != nil {
		return err
	}
	s.note("%s", s.faint("counted "+s.age(oldest)+"; ready: due; waiting: due later; expired: the lease ran out. `twice audit` counts by scan"))
	return nil
}

func seen(n queue.Seen) string {
	text := count(n.N)
	if n.More {
		text += "+"
	}
	return text
}
