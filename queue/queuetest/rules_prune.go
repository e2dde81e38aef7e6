package queuetest

import (
	"fmt"
	"time"

	"github.com/twicehq/twice/queue"
)

// prune prunes everything that may go.
func (s *Scene) prune() int {
	s.Helper()
	n, err := ask[queue.Pruner](s).Prune(s.ctx, 1000)
	s.must(err, "prune")
	return n
}

// moveMark moves the clock a horizon on and the mark to at most t.
func (s *Scene) moveMark(t time.Time) {
	s.Helper()
	s.Clock.Advance(s.Engine.Traits().KeepFor + time.Hour)
	s.must(ask[queue.Pruner](s).MoveMark(s.ctx, t), "move mark")
}

var pruneRules = []Rule{
	{"prune", "jobs done or cancelled for UniqueFor go, and are counted; nothing else goes", []Need{prunes, operates, audits}, func(s *Scene) {
		s.bury("dead", queue.ReasonFailures)
		s.accept(job("done"))
		s.end(done(s.take("w")))
		gone := s.accept(job("cancelled"))
		s.must(s.one(ask[queue.Operator](s).Cancel(s.ctx, by, queue.Cut{ID: gone})), "cancel")
		s.accept(job("queued"))
		s.Clock.Advance(s.Engine.Traits().UniqueFor - time.Second)
		if n := s.prune(); n != 0 {
			s.Errorf("%d pruned before UniqueFor", n)
		}
		s.Clock.Advance(2 * time.Second)
		if n := s.prune(); n != 2 {
			s.Errorf("%d pruned, want 2", n)
		}
		if b := s.books("q"); b.Accepted != 4 || b.Pruned != 2 || b.Missing() != 0 || b.Found.Dead != 1 || b.Found.Queued != 1 {
			s.Errorf("%+v", b)
		}
		if got := s.enqueue(job("done"))[0]; got.Status != queue.Accepted {
			s.Errorf("a pruned id: %s", got.Status)
		}
	}},
	{"prune keeps what is kept", "a job's own KeepFor keeps it longer than UniqueFor", []Need{prunes, inspects}, func(s *Scene) {
		keep := s.Engine.Traits().UniqueFor + 24*time.Hour
		id := s.accept(job("a", func(j *queue.Job) { j.KeepFor = keep }))
		s.end(done(s.take("w")))
		s.Clock.Advance(keep - time.Second)
		if n := s.prune(); n != 0 {
			s.Errorf("%d pruned", n)
		}
		if r := s.record(id); !r.Whole {
			s.Errorf("it is not whole")
		}
		s.Clock.Advance(2 * time.Second)
		if n := s.prune(); n != 1 {
			s.Errorf("%d pruned after it", n)
		}
	}},
	{"prune at most", "at most limit of them at a call", []Need{prunes}, func(s *Scene) {
		for i := range 5 {
			s.accept(job(fmt.Sprint(i)))
		}
		for _, l := range s.claim(request("w")) {
			s.end(done(l))
		}
		s.Clock.Advance(s.Engine.Traits().UniqueFor + time.Second)
		for _, want := range []int{3, 2, 0} {
			if n, err := ask[queue.Pruner](s).Prune(s.ctx, 3); n != want || err != nil {
				s.Errorf("%d pruned, want %d, %v", n, want, err)
			}
		}
	}},
	{"token floor", "a new job starts above every token that its queue pruned", []Need{prunes, fences}, func(s *Scene) {
		s.accept(job("a"))
		for range 4 {
			s.end(failed(s.take("w")))
		}
		last := s.take("w")
		s.end(done(last))
		s.Clock.Advance(s.Engine.Traits().UniqueFor + time.Second)
		s.prune()
		s.accept(job("a"))
		// Already before its first claim: a cancel that was sealed at the old token must not hold for it.
		if r := s.record(last.Job.ID); r.Token <= last.Token {
			s.Errorf("it waits at token %d after %d was pruned", r.Token, last.Token)
		}
		l := s.take("w")
		if l.Token <= last.Token {
			s.Errorf("token %d after %d was pruned", l.Token, last.Token)
		}
		s.is(s.settle(done(last)), queue.ErrLeaseLost, "a lease of the pruned job")
	}},
	{"case 23 silent trim", "more dead letters and done jobs than any cap: nothing vanishes uncounted, and dead letters stay for years", []Need{prunes, audits}, func(s *Scene) {
		const n = 300
		for i := range n {
			s.accept(job(fmt.Sprint(i)))
		}
		for i, l := range s.claim(request("w", upTo(n))) {
			if i%2 == 0 {
				s.end(dead(l, queue.ReasonFailures))
			} else {
				s.end(done(l))
			}
		}
		s.Clock.Advance(5 * 365 * 24 * time.Hour)
		s.must(ask[queue.Pruner](s).MoveMark(s.ctx, s.Clock.Now()), "move mark")
		pruned := s.prune()
		reaped, err := ask[queue.Pruner](s).Reap(s.ctx, 1000)
		s.must(err, "reap")
		b := s.books("q")
		if b.Missing() != 0 || b.Accepted != n || b.Found.Dead != n/2 || b.Pruned != int64(pruned+reaped) || b.Pruned+b.Found.Done != n/2 {
			s.Errorf("%+v", b)
		}
	}},
}

var markRules = []Rule{
	{"mark", "an origin at or before the mark is refused; one after it, or none, is not", []Need{prunes, ledgers}, func(s *Scene) {
		t := s.Clock.Now()
		s.moveMark(t)
		at := func(key string, t time.Time) queue.Job {
			return job(key, func(j *queue.Job) { j.Origin = t })
		}
		got := s.enqueue(at("before", t.Add(-time.Hour)), at("at", t), at("after", t.Add(queue.Resolution)), job("none"))
		for i, want := range []queue.Status{queue.Refused, queue.Refused, queue.Accepted, queue.Accepted} {
			if got[i].Status != want {
				s.Errorf("job %d: %s, want %s", i, got[i].Status, want)
			}
		}
		s.is(got[1].Err, queue.ErrRefused, "at the mark")
		l := s.claim(request("w", upTo(1)))[0]
		s.is(s.settle(follow(l, at("at", t))), queue.ErrRefused, "to follow, at the mark")
	}},
	{"mark moves forward", "the mark never goes back, and never comes nearer than KeepFor", []Need{prunes, ledgers}, func(s *Scene) {
		p := ask[queue.Pruner](s)
		s.accept(job("a"))
		mark := func() time.Time {
			t, err := p.Mark(s.ctx, "q")
			s.must(err, "mark")
			return t
		}
		if !mark().IsZero() {
			s.Errorf("the mark was never moved, and is %s", mark())
		}
		t := s.Clock.Now()
		s.moveMark(t)
		if !mark().Equal(t) {
			s.Errorf("mark %s, want %s", mark(), t)
		}
		s.must(p.MoveMark(s.ctx, t.Add(-time.Hour)), "move back")
		if mark().Before(t) {
			s.Errorf("it went back to %s", mark())
		}
		_ = p.MoveMark(s.ctx, s.Clock.Now())
		if nearest := s.Clock.Now().Add(-s.Engine.Traits().KeepFor); mark().After(nearest) {
			s.Errorf("it moved to %s, nearer than %s", mark(), nearest)
		}
	}},
	{"prune leaves the mark", "pruning moves no mark", []Need{prunes}, func(s *Scene) {
		s.accept(job("a"))
		s.end(done(s.take("w")))
		s.Clock.Advance(s.Engine.Traits().UniqueFor + time.Second)
		s.prune()
		if t, err := ask[queue.Pruner](s).Mark(s.ctx, "q"); err != nil || !t.IsZero() {
			s.Errorf("%s, %v", t, err)
		}
	}},
	{"duplicate is fresh", "a duplicate with a later origin raises the job's freshness, one with an earlier changes nothing", []Need{inspects, dedupes}, func(s *Scene) {
		now := s.Clock.Now()
		at := func(t time.Time) queue.Job { return job("a", func(j *queue.Job) { j.Origin = t }) }
		id := s.accept(at(now))
		later := now.Add(4 * time.Minute)
		s.enqueue(at(later), at(now.Add(-time.Hour)))
		if r := s.record(id); r.FreshAt.Before(later) {
			s.Errorf("fresh at %s, want %s", r.FreshAt, later)
		}
	}},
	{"reap", "jobs done or cancelled that were last fresh at or before the mark go, counted; fresher and dead ones stay", []Need{prunes, audits, ledgers, dedupes}, func(s *Scene) {
		now := s.Clock.Now()
		s.accept(job("old"), job("duplicate"))
		for _, l := range s.claim(request("w")) {
			s.end(done(l))
		}
		s.bury("dead", queue.ReasonFailures)
		later := now.Add(4 * time.Minute)
		s.enqueue(job("duplicate", func(j *queue.Job) { j.Origin = later }))
		s.Clock.Advance(5 * time.Minute)
		s.moveMark(now.Add(time.Minute))
		p := ask[queue.Pruner](s)
		if n, err := p.Reap(s.ctx, 100); n != 1 || err != nil {
			s.Errorf("%d reaped, want 1, %v", n, err)
		}
		s.must(p.MoveMark(s.ctx, later), "move mark")
		if n, err := p.Reap(s.ctx, 100); n != 1 || err != nil {
			s.Errorf("%d reaped after the mark passed the later origin, want 1, %v", n, err)
		}
		if b := s.books("q"); b.Missing() != 0 || b.Pruned != 2 || b.Found.Dead != 1 {
			s.Errorf("%+v", b)
		}
	}},
	{"case 20 old but alive", "a job 60 days ahead, and a dead letter redriven after the horizon, are fresh after the mark when they run", []Need{prunes, operates}, func(s *Scene) {
		old := s.bury("dead", queue.ReasonFailures)
		s.accept(job("ahead", func(j *queue.Job) { j.Origin, j.RunAt = s.Clock.Now(), s.Clock.Now().Add(60*24*time.Hour) }))
		s.Clock.Advance(60*24*time.Hour + time.Second)
		p := ask[queue.Pruner](s)
		s.must(p.MoveMark(s.ctx, s.Clock.Now()), "move mark")
		_, err := p.Reap(s.ctx, 100)
		s.must(err, "reap")
		s.must(s.one(ask[queue.Operator](s).Redrive(s.ctx, by, old)), "redrive")
		mark, err := p.Mark(s.ctx, "q")
		s.must(err, "mark")
		leases := s.claim(request("w"))
		if len(leases) != 2 {
			s.Fatalf("leased %s, want both", keys(leases))
		}
		for _, l := range leases {
			if !l.FreshAt.After(mark) {
				s.Errorf("%s: fresh at %s, mark %s", l.Job.Key, l.FreshAt, mark)
			}
			s.end(done(l))
		}
	}},
}
