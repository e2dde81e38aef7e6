package main

import (
	"context"
	"fmt"

	"github.com/twicehq/twice/proof/monitor"
	"github.com/twicehq/twice/queue"
)

type auditCmd struct {
	Trail bool `help:"Show the changes that people made as well, newest first."`
	page
}

func (auditCmd) Help() string {
	return `Use it to prove that nothing was lost: it counts every stored job, and compares with what was accepted and with the counts that the engine keeps. Exit status 1 when any is missing, or the counts do not add up. It takes time in proportion to what is stored.

    twice audit && echo nothing is missing`
}

// booksView is a queue's books, or their sum, in JSON.
type booksView struct {
	Queue     string `json:"queue,omitempty"`
	Accepted  int64  `json:"accepted"`
	Queued    int64  `json:"queued"`
	Running   int64  `json:"running"`
	Done      int64  `json:"done"`
	Dead      int64  `json:"dead"`
	Cancelled int64  `json:"cancelled"`
	Pruned    int64  `json:"pruned"`
	Missing   int64  `json:"missing"`
}

type auditView struct {
	Engine     string       `json:"engine"`
	Durability string       `json:"durability"`
	Balanced   bool         `json:"balanced"`
	Broken     []brokenView `json:"broken,omitempty"` // what must never be, and is
	Queues     []booksView  `json:"queues"`
	Total      booksView    `json:"total"`
	Trail      []changeView `json:"trail,omitempty"`
	TrailNext  string       `json:"trail_next,omitempty"`
}

// brokenView is an invariant that does not hold, in JSON.
type brokenView struct {
	Invariant string `json:"invariant"`
	Queue     string `json:"queue,omitempty"`
	Says      string `json:"says"`
}

func (c auditCmd) Run(ctx context.Context, s *session) error {
	if err := c.check("audit"); err != nil {
		return err
	}
	if c.Cursor != "" && !c.Trail {
		return usage("audit", "--cursor goes on with the trail, and --trail is not given", "add --trail")
	}
	engine, auditor, err := with[queue.Auditor](ctx, s, "audit")
	if err != nil {
		return err
	}
	report, err := s.count(ctx, engine, auditor)
	if err != nil {
		return err
	}
	v := auditView{Engine: engine.Traits().Name, Durability: engine.Traits().Durability, Balanced: true, Queues: []booksView{}}
	for _, f := range report.Found {
		v.Broken = append(v.Broken, brokenView{string(f.Invariant), f.Queue, f.Says})
	}
	for _, b := range report.Books {
		one := viewBooks(b)
		v.Queues = append(v.Queues, one)
		v.Total = v.Total.plus(one)
		v.Balanced = v.Balanced && one.Missing == 0
	}
	if c.Trail {
		changes, next, err := auditor.Trail(ctx, c.Cursor, c.Limit)
		if err != nil {
			return err
		}
		v.Trail, v.TrailNext = viewTrail(changes), next
	}
	if s.json {
		err = s.emit(v)
	} else {
		err = v.print(s, engine, c.Trail)
	}
	if err == nil && (!v.Balanced || len(v.Broken) > 0) {
		return errBad
	}
	return err
}

// count counts by scan, and shows that it is at it.
func (s *session) count(ctx context.Context, engine queue.Engine, auditor queue.Auditor) (r monitor.Report, err error) {
	var stored int64
	look, counts := queue.As[queue.Inspector](engine)
	if counts {
		if depths, err := look.Depths(ctx); err == nil {
			for _, d := range depths {
				stored += d.Accepted - d.Pruned
			}
		}
	}
	bar := s.progress("counting", stored)
	defer bar.end()
	if counts {
		return monitor.New(monitor.Config{}).Audit(ctx, engine)
	}
	r.Books, err = auditor.Audit(ctx)
	return r, err
}

func viewBooks(b queue.Books) booksView {
	t := b.Found
	return booksView{b.Queue, b.Accepted, t.Queued, t.Running, t.Done, t.Dead, t.Cancelled, b.Pruned, b.Missing()}
}

func (v booksView) plus(o booksView) booksView {
	return booksView{"", v.Accepted + o.Accepted, v.Queued + o.Queued, v.Running + o.Running, v.Done + o.Done, v.Dead + o.Dead,
		v.Cancelled + o.Cancelled, v.Pruned + o.Pruned, v.Missing + o.Missing}
}

func (v auditView) print(s *session, engine queue.Engine, trail bool) error {
	s.promise(engine)
	if len(v.Queues) == 0 {
		if err := s.say("nothing was ever accepted here: the books balance"); err != nil {
			return err
		}
	} else {
		t := newTable("QUEUE", ">ACCEPTED", "", ">QUEUED", ">RUNNING", ">DONE", ">DEAD", ">CANCELLED", ">PRUNED", ">MISSING")
		row := func(name string, b booksView) {
			gone := cell{text: count(b.Missing), ink: greenInk}
			if b.Missing != 0 {
				gone.ink = redInk
			}
			t.row(name, b.Accepted, "=", b.Queued, b.Running, b.Done, b.Dead, b.Cancelled, b.Pruned, gone)
		}
		for _, b := range v.Queues {
			row(plain(b.Queue), b)
		}
		if len(v.Queues) > 1 {
			row("all", v.Total)
		}
		if err := t.print(s); err != nil {
			return err
		}
		b := v.Total
		sum := fmt.Sprintf("\naccepted %s = queued %s + running %s + done %s + dead %s + cancelled %s + pruned %s", count(b.Accepted), count(b.Queued),
			count(b.Running), count(b.Done), count(b.Dead), count(b.Cancelled), count(b.Pruned))
		verdict := s.paint(greenInk, "the books balance")
		if !v.Balanced {
			sum += fmt.Sprintf(" + missing %s", count(b.Missing))
			verdict = s.paint(redInk, "the books do not balance") + ": a number above 0 was lost, one below 0 is there twice; copy the store and report it"
		}
		if err := s.say("%s: %s", sum, verdict); err != nil {
			return err
		}
	}
	for _, b := range v.Broken {
		if err := s.say("%s %s: %s", s.paint(redInk, "BROKEN"), plain(b.Queue), plain(b.Says)); err != nil {
			return err
		}
	}
	if !trail {
		return nil
	}
	return v.printTrail(s)
}
