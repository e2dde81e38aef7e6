package queuetest

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"

	"github.com/twicehq/twice/queue"
)

var attendRules = []Rule{
	{"presence", "an announced worker is shown as it described itself, seen by the engine's clock, until it withdraws", []Need{attends}, func(s *Scene) {
		p := ask[queue.Presence](s)
		at := func(n int) time.Time { return time.Date(2026, 1, 2, 3, 4, n, 0, time.UTC) } // by the worker's clock
		w := queue.Worker{Name: "w1", Host: "h", PID: 7, Version: "v1", Queues: []string{"q"}, Kinds: []string{"k"}, Slots: 10, Busy: 3, Deaf: 1,
			SaidAt: at(1), Unlisted: 3, Running: []queue.Progress{{Job: id("a"), Queue: "q", Kind: "k", Attempt: 2, Done: 5, Total: 9, Moved: at(2)}},
			Recent: []queue.Recent{{Queue: "q", Kind: "k", Begun: 11, Done: 4, Failed: 3, TimedOut: 1, Panicked: 1, Buried: 1, Lost: 2, Crashed: 6, AfterCrash: 7,
				Dead: 5, Run: 90 * time.Second, LastDone: at(3), P50: time.Second, P99: 9 * time.Second, Measured: 4, Others: 8,
				Failures: []queue.Failing{{Signature: "no such order #", Text: "no such order \x00 17", Count: 3, Jobs: 2, Top: []queue.Repeat{{Job: id("a"), N: 2}}, Last: at(4)}}}}}
		s.must(p.Announce(s.ctx, w, ttl), "announce")
		s.must(p.Announce(s.ctx, w, ttl), "announce again")
		all, err := p.Workers(s.ctx)
		if err != nil || len(all) != 1 {
			s.Fatalf("%d workers, %v", len(all), err)
		}
		if g := all[0]; g.Name != "w1" || g.Host != "h" || g.PID != 7 || g.Slots != 10 || g.Busy != 3 || g.Deaf != 1 || g.Silent || !g.SeenAt.Equal(s.Clock.Now()) || len(g.Kinds) != 1 || len(g.Running) != 1 || g.Running[0].Done != 5 || g.Running[0].Job != id("a") {
			s.Errorf("%+v", g)
		} else if !reflect.DeepEqual(g.Running, w.Running) || !reflect.DeepEqual(g.Recent, w.Recent) || !g.SaidAt.Equal(w.SaidAt) || g.Unlisted != w.Unlisted {
			s.Errorf("of what it told: %+v, want %+v", g, w)
		}
		s.must(p.Withdraw(s.ctx, "w1"), "withdraw")
		if all, err = p.Workers(s.ctx); err != nil || len(all) != 0 {
			s.Errorf("%d after it withdrew, %v", len(all), err)
		}
	}},
	{"announced nonsense", "what cannot be a worker's word is refused, and not shown", []Need{attends}, func(s *Scene) {
		p := ask[queue.Presence](s)
		for what, w := range map[string]queue.Worker{
			"no name":        {},
			"a year no text": {Name: "w", Started: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)},
			"endless lists":  {Name: "w", Running: make([]queue.Progress, 100_000)},
		} {
			if err := p.Announce(s.ctx, w, ttl); !errors.Is(err, queue.ErrInvalid) {
				s.Errorf("%s: %v", what, err)
			}
		}
		if err := p.Announce(s.ctx, queue.Worker{Name: "w"}, 0); !errors.Is(err, queue.ErrInvalid) {
			s.Errorf("no ttl: %v", err)
		}
		if all, err := p.Workers(s.ctx); err != nil || len(all) != 0 {
			s.Errorf("%d workers, %v", len(all), err)
		}
	}},
	{"silence", "a worker whose ttl has passed is shown silent, for as long again", []Need{attends}, func(s *Scene) {
		p := ask[queue.Presence](s)
		s.must(p.Announce(s.ctx, queue.Worker{Name: "w1"}, ttl), "announce")
		for _, step := range []struct {
			after  time.Duration
			n      int
			silent bool
		}{{ttl / 2, 1, false}, {ttl, 1, true}, {ttl, 0, false}} {
			s.Clock.Advance(step.after)
			all, err := p.Workers(s.ctx)
			if err != nil || len(all) != step.n || (step.n > 0 && all[0].Silent != step.silent) {
				s.Errorf("%+v: %+v, %v", step, all, err)
			}
		}
	}},
}

var scheduleRules = []Rule{
	{"schedule", "an entry is stored by its name; stored again, its spec changes and its last fire stays", []Need{schedules}, func(s *Scene) {
		c := ask[queue.Schedules](s)
		since := s.Clock.Now()
		s.must(c.PutSchedule(s.ctx, queue.Schedule{Name: "hourly", Spec: "@every 1h", Queue: "q", Kind: "k", Zone: "Europe/Berlin"}), "put")
		due := since.Add(time.Hour)
		s.Clock.Advance(time.Hour)
		_, err := c.Fire(s.ctx, "hourly", time.Time{}, due, job("tick 1"))
		s.must(err, "fire")
		s.must(c.PutSchedule(s.ctx, queue.Schedule{Name: "hourly", Spec: "@every 2h", Queue: "q", Kind: "k"}), "put again")
		all, err := c.Schedules(s.ctx)
		if err != nil || len(all) != 1 {
			s.Fatalf("%d entries, %v", len(all), err)
		}
		if e := all[0]; e.Spec != "@every 2h" || !e.Last.Equal(due) || !e.Since.Equal(since) {
			s.Errorf("%+v", e)
		}
		s.is(c.PutSchedule(s.ctx, queue.Schedule{Name: "a{b}"}), queue.ErrInvalid, "a bad name")
	}},
	{"fire", "a fire enqueues the job and moves the last fire in one write, if the last fire is still before; else ErrFired, and nothing is changed", []Need{schedules}, func(s *Scene) {
		c := ask[queue.Schedules](s)
		s.must(c.PutSchedule(s.ctx, queue.Schedule{Name: "e", Spec: "@every 1m", Queue: "q", Kind: "k"}), "put")
		due := s.Clock.Now()
		r, err := c.Fire(s.ctx, "e", time.Time{}, due, job("1"))
		if err != nil || r.Status != queue.Accepted {
			s.Fatalf("%+v, %v", r, err)
		}
		_, err = c.Fire(s.ctx, "e", time.Time{}, due, job("again"))
		s.is(err, queue.ErrFired, "the same instant again")
		r, err = c.Fire(s.ctx, "e", due, due.Add(time.Minute), job("1"))
		if err != nil || r.Status != queue.Duplicate {
			s.Errorf("a duplicate is a success: %+v, %v", r, err)
		}
		_, err = c.Fire(s.ctx, "e", due.Add(time.Minute), due.Add(2*time.Minute), job("1", func(j *queue.Job) { j.Payload = []byte("other") }))
		s.is(err, queue.ErrConflict, "a conflict")
		all, err := c.Schedules(s.ctx)
		if err != nil || !all[0].Last.Equal(due.Add(time.Minute)) {
			s.Errorf("last fire %s after a refused one, %v", all[0].Last, err)
		}
		_, err = c.Fire(s.ctx, "none", time.Time{}, due, job("2"))
		s.is(err, queue.ErrNotFound, "an entry that is not known")
		s.take("w")
	}},
	{"case 10 two schedulers", "both believe they lead, over 100 ticks: exactly one job a due instant", []Need{schedules}, func(s *Scene) {
		c := ask[queue.Schedules](s)
		s.must(c.PutSchedule(s.ctx, queue.Schedule{Name: "e", Spec: "@every 1m", Queue: "q", Kind: "k"}), "put")
		const ticks = 100
		start := s.Clock.Now()
		s.Clock.Advance(ticks * time.Minute)
		var wait sync.WaitGroup
		accepted := make([]int, 2)
		for i := range accepted {
			wait.Go(func() {
				for {
					all, err := c.Schedules(s.ctx)
					if err != nil || len(all) != 1 {
						s.Errorf("entries: %v, %v", all, err)
						return
					}
					last := all[0].Last
					due := last.Add(time.Minute)
					if last.IsZero() {
						due = start.Add(time.Minute)
					}
					if due.After(start.Add(ticks * time.Minute)) {
						return
					}
					r, err := c.Fire(s.ctx, "e", last, due, job(due.UTC().Format(time.RFC3339)))
					if err == nil && r.Status == queue.Accepted {
						accepted[i]++
					}
				}
			})
		}
		wait.Wait()
		if n := accepted[0] + accepted[1]; n != ticks {
			s.Errorf("%d jobs for %d instants", n, ticks)
		}
		if n := len(s.claim(request("w", upTo(2*ticks)))); n != ticks {
			s.Errorf("%d jobs stored for %d instants", n, ticks)
		}
	}},
	{"pause a schedule", "a paused entry fires no more until it is resumed, and says so; a dropped one is gone", []Need{schedules}, func(s *Scene) {
		c := ask[queue.Schedules](s)
		s.must(c.PutSchedule(s.ctx, queue.Schedule{Name: "e", Spec: "@every 1m", Queue: "q", Kind: "k"}), "put")
		s.must(c.PauseSchedule(s.ctx, by, "e", true), "pause")
		if all, err := c.Schedules(s.ctx); err != nil || len(all) != 1 || !all[0].Paused {
			s.Errorf("%+v, %v", all, err)
		}
		if _, err := c.Fire(s.ctx, "e", time.Time{}, s.Clock.Now(), job("a")); err == nil {
			s.Errorf("it fired while paused")
		}
		s.none("the entry is paused")
		s.must(c.PauseSchedule(s.ctx, by, "e", false), "resume")
		_, err := c.Fire(s.ctx, "e", time.Time{}, s.Clock.Now(), job("a"))
		s.must(err, "fire")
		s.must(c.DropSchedule(s.ctx, by, "e"), "drop")
		if all, err := c.Schedules(s.ctx); err != nil || len(all) != 0 {
			s.Errorf("%+v, %v", all, err)
		}
		s.is(c.DropSchedule(s.ctx, queue.Actor{}, "e"), queue.ErrInvalid, "drop by nobody")
	}},
}

var auditRules = []Rule{
	{"audit", "accepted = queued + running + done + dead + cancelled + pruned, counted by scan, for every queue", []Need{audits, operates}, func(s *Scene) {
		for i := range 12 {
			s.accept(job(fmt.Sprint(i)))
		}
		s.accept(job("other", func(j *queue.Job) { j.Queue = "other" }))
		leases := s.claim(request("w"))
		for i, l := range leases[:8] {
			switch i % 4 {
			case 0:
				s.end(done(l))
			case 1:
				s.end(dead(l, queue.ReasonFailures))
			case 2:
				s.end(failed(l))
			case 3:
				s.must(s.one(ask[queue.Operator](s).Cancel(s.ctx, by, queue.Cut{ID: l.Job.ID})), "cancel")
			}
		}
		want := queue.Books{Queue: "q", Accepted: 12, Found: queue.Tally{Queued: 4, Running: 2, Done: 2, Dead: 2, Cancelled: 2}}
		if b := s.books("q"); b != want || b.Missing() != 0 {
			s.Errorf("%+v, want %+v", b, want)
		}
		if b := s.books("other"); b.Accepted != 1 || b.Found.Queued != 1 {
			s.Errorf("%+v", b)
		}
	}},
	{"trail", "every change by a person is in the trail, newest first, with who, why and what", []Need{audits, operates, pauses}, func(s *Scene) {
		o, p := ask[queue.Operator](s), ask[queue.Pauser](s)
		dead := s.bury("dead", queue.ReasonFailures)
		s.must(s.one(o.Redrive(s.ctx, by, dead)), "redrive")
		s.must(s.one(o.Cancel(s.ctx, queue.Actor{Name: "bob", Why: "not wanted"}, queue.Cut{ID: dead, Note: "no ledger"})), "cancel")
		s.must(p.Pause(s.ctx, by, "q"), "pause")
		s.must(p.Resume(s.ctx, by, "q"), "resume")
		s.is(s.one(o.Redrive(s.ctx, by, dead)), queue.ErrState, "redrive of a cancelled job")
		var got []queue.Change
		for cursor := ""; ; {
			page, next, err := ask[queue.Auditor](s).Trail(s.ctx, cursor, 3)
			s.must(err, "trail")
			got = append(got, page...)
			if cursor = next; next == "" || len(got) > 10 {
				break
			}
		}
		want := []string{"resume", "pause", "cancel", "redrive"}
		if len(got) != len(want) {
			s.Fatalf("%d changes, want %d: %+v", len(got), len(want), got)
		}
		for i, c := range got {
			if c.What != want[i] || c.Queue != "q" || !c.At.Equal(s.Clock.Now()) {
				s.Errorf("change %d: %+v, want %s", i, c, want[i])
			}
		}
		if c := got[2]; c.By.Name != "bob" || c.By.Why != "not wanted" || c.Job != dead || c.Note != "no ledger" {
			s.Errorf("%+v", c)
		}
	}},
}
