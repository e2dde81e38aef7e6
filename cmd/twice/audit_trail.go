package main

import (
	"time"

	"github.com/twicehq/twice/queue"
)

// changeView is a change by a person, in JSON.
type changeView struct {
	At    time.Time `json:"at"`
	Who   string    `json:"who"`
	Why   string    `json:"why"`
	What  string    `json:"what"`
	Queue string    `json:"queue,omitempty"`
	Job   queue.ID  `json:"job,omitzero"`
	Note  string    `json:"note,omitempty"`
}

func viewTrail(changes []queue.Change) []changeView {
	views := []changeView{}
	for _, c := range changes {
		views = append(views, changeView{c.At, c.By.Name, c.By.Why, c.What, c.Queue, c.Job, c.Note})
	}
	return views
}

func (v auditView) printTrail(s *session) error {
	if len(v.Trail) == 0 {
		return s.say("\nno change by a person is recorded")
	}
	if err := s.say("\n%s", s.paint(bold, "changes by people, newest first")); err != nil {
		return err
	}
	t := newTable("AT", "WHO", "WHAT", "QUEUE", "JOB", "WHY", "NOTE")
	for _, c := range v.Trail {
		job := note(!c.Job.IsZero(), c.Job.String())
		t.row(s.at(c.At), named(c.Who), plain(c.What), plain(c.Queue), job, clip(named(c.Why), 60), clip(plain(c.Note), 40))
	}
	if err := t.print(s); err != nil {
		return err
	}
	s.further(v.TrailNext)
	return nil
}
