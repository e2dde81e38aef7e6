package queuetest

import (
	"errors"
	"time"

	"github.com/twicehq/twice/queue"
)

var operateRules = []Rule{
	{"cancel a queued job", "a cancelled job is claimed no more; its effects and reason are listed", []Need{operates, inspects}, func(s *Scene) {
		id := s.accept(job("a"))
		cut := queue.Cut{ID: id, Effects: []queue.Effect{{Step: "mail", State: queue.EffectUnknown}}}
		s.must(s.one(ask[queue.Operator](s).Cancel(s.ctx, by, cut)), "cancel")
		if r := s.record(id); r.State != queue.Cancelled || r.Reason != queue.ReasonCancelled || len(r.Effects) != 1 || r.EndedAt.IsZero() {
			s.Errorf("%+v", r)
		}
		s.none("it is cancelled")
	}},
	{"case 07 cancel beats retry", "cancel a running job whose handler then reports an error: cancelled, not retried; the holder is told ErrLeaseLost and ErrCancelled", []Need{operates, fences}, func(s *Scene) {
		id := s.accept(job("a"))
		l := s.take("w")
		s.must(s.one(ask[queue.Operator](s).Cancel(s.ctx, by, queue.Cut{ID: id})), "cancel")
		for what, err := range map[string]error{"extend": s.extend(l), "settle": s.settle(failed(l))} {
			s.is(err, queue.ErrLeaseLost, what)
			s.is(err, queue.ErrCancelled, what)
		}
		s.state(id, queue.Cancelled)
		s.Clock.Advance(time.Hour)
		s.none("it is cancelled")
	}},
	{"cancel compares the token", "sealed, a cancellation holds only while the token is the sealed one: else ErrLeaseLost, and nothing is changed", []Need{operates, fences}, func(s *Scene) {
		id := s.accept(job("a"))
		a := s.take("A")
		s.lapse()
		b := s.take("B")
		cut := queue.Cut{ID: id, Sealed: true, Token: a.Token}
		s.is(s.one(ask[queue.Operator](s).Cancel(s.ctx, by, cut)), queue.ErrLeaseLost, "cancel at an old token")
		s.must(s.extend(b), "the holder's lease")
		cut.Token = b.Token
		s.must(s.one(ask[queue.Operator](s).Cancel(s.ctx, by, cut)), "cancel, sealed again")
		s.is(s.extend(b), queue.ErrCancelled, "extend")
	}},
	{"case 21 cancel after a new claim", "a cancellation ends whoever holds the job now, and those before stay lost", []Need{operates, fences}, func(s *Scene) {
		id := s.accept(job("a"))
		a := s.take("A")
		s.lapse()
		b := s.take("B")
		s.must(s.one(ask[queue.Operator](s).Cancel(s.ctx, by, queue.Cut{ID: id})), "cancel")
		s.is(s.settle(done(a)), queue.ErrLeaseLost, "A's success")
		s.is(s.settle(done(b)), queue.ErrLeaseLost, "B's success")
		s.state(id, queue.Cancelled)
	}},
	{"cancel what has ended", "ErrState where it has ended, ErrNotFound where it is not known; one answer a job, in order", []Need{operates}, func(s *Scene) {
		id1 := s.bury("a", queue.ReasonFailures)
		id2 := s.accept(job("b"))
		errs, err := ask[queue.Operator](s).Cancel(s.ctx, by, queue.Cut{ID: id1}, queue.Cut{ID: id2}, queue.Cut{ID: id("never")})
		if err != nil || len(errs) != 3 || !errors.Is(errs[0], queue.ErrState) || errs[1] != nil || !errors.Is(errs[2], queue.ErrNotFound) {
			s.Errorf("%v, %v", errs, err)
		}
	}},
	{"redrive", "a redrive sends a dead job back with fresh budgets; id and token stay, and it is fresh and lone no more", []Need{operates, inspects, counts}, func(s *Scene) {
		id := s.accept(job("a"))
		end := failed(s.take("w"))
		end.Lone = true
		s.end(end)
		s.end(dead(s.take("w", lone), queue.ReasonFailures))
		before := s.record(id)
		s.Clock.Advance(time.Hour)
		s.must(s.one(ask[queue.Operator](s).Redrive(s.ctx, by, id)), "redrive")
		if r := s.record(id); r.State != queue.Queued || r.Lone || r.Reason != "" || r.FreshAt.Before(s.Clock.Now()) || r.Token < before.Token || r.Counts != (queue.Counts{Redrives: 1}) {
			s.Errorf("%+v", r)
		}
		if l := s.take("w"); l.Token <= before.Token || l.Job.ID != id || string(l.Job.Payload) != "a" || l.Counts != (queue.Counts{Redrives: 1}) {
			s.Errorf("token %d after %d, %+v", l.Token, before.Token, l.Counts)
		}
	}},
	{"redrive of the living", "ErrState unless it is dead", []Need{operates}, func(s *Scene) {
		o := ask[queue.Operator](s)
		id := s.accept(job("a"))
		s.is(s.one(o.Redrive(s.ctx, by, id)), queue.ErrState, "of a queued job")
		s.end(done(s.take("w")))
		s.is(s.one(o.Redrive(s.ctx, by, id)), queue.ErrState, "of a job that is done")
		s.none("it is done")
	}},
	{"redrive cap", "ErrCapped after MaxRedrives", []Need{operates}, func(s *Scene) {
		o := ask[queue.Operator](s)
		id := s.bury("a", queue.ReasonFailures)
		for range queue.MaxRedrives {
			s.must(s.one(o.Redrive(s.ctx, by, id)), "redrive")
			s.end(dead(s.take("w"), queue.ReasonFailures))
		}
		s.is(s.one(o.Redrive(s.ctx, by, id)), queue.ErrCapped, "one redrive more")
		s.state(id, queue.Dead)
	}},
	{"in doubt", "ErrInDoubt while it is in doubt; Resolved redrives it, and no other", []Need{operates}, func(s *Scene) {
		o := ask[queue.Operator](s)
		doubt, plain := s.bury("a", queue.ReasonDoubt), s.bury("b", queue.ReasonFailures)
		errs, err := o.Redrive(s.ctx, by, doubt, plain)
		if err != nil || len(errs) != 2 || !errors.Is(errs[0], queue.ErrInDoubt) || errs[1] != nil {
			s.Fatalf("%v, %v", errs, err)
		}
		s.state(doubt, queue.Dead)
		s.end(dead(s.take("w"), queue.ReasonFailures))
		s.is(s.one(o.Resolved(s.ctx, by, plain)), queue.ErrState, "resolve without a doubt")
		s.must(s.one(o.Resolved(s.ctx, by, doubt)), "resolve")
		if l := s.take("w"); l.Job.ID != doubt || l.Counts.Redrives != 1 {
			s.Errorf("%s, %+v", l.Job.Key, l.Counts)
		}
	}},
	{"discard", "a discarded dead letter is cancelled, reason discarded; ErrState unless it is dead", []Need{operates, inspects}, func(s *Scene) {
		o := ask[queue.Operator](s)
		id := s.bury("a", queue.ReasonFailures)
		s.must(s.one(o.Discard(s.ctx, by, id)), "discard")
		if r := s.record(id); r.State != queue.Cancelled || r.Reason != queue.ReasonDiscarded {
			s.Errorf("%s, %s", r.State, r.Reason)
		}
		s.is(s.one(o.Redrive(s.ctx, by, id)), queue.ErrState, "redrive after discard")
		s.is(s.one(o.Discard(s.ctx, by, s.accept(job("b")))), queue.ErrState, "discard of a queued job")
	}},
	{"who and why", "a change by a person needs who and why", []Need{operates}, func(s *Scene) {
		o := ask[queue.Operator](s)
		id := s.bury("a", queue.ReasonFailures)
		for _, a := range []queue.Actor{{}, {Name: "ada"}, {Why: "because"}} {
			_, err := o.Redrive(s.ctx, a, id)
			s.is(err, queue.ErrInvalid, "redrive by nobody or for nothing")
			_, err = o.Discard(s.ctx, a, id)
			s.is(err, queue.ErrInvalid, "discard by nobody or for nothing")
		}
		s.state(id, queue.Dead)
	}},
}

var pauseRules = []Rule{
	{"pause", "a paused queue is not claimed; enqueues go on; what is leased runs on; a resume ends it", []Need{pauses}, func(s *Scene) {
		s.accept(job("a"))
		l := s.take("w")
		s.must(ask[queue.Pauser](s).Pause(s.ctx, by, "q"), "pause")
		s.accept(job("b"), job("c", func(j *queue.Job) { j.Queue = "other" }))
		s.none("its queue is paused")
		if got := s.claim(request("w", func(c *queue.Claim) { c.Queues = []string{"q", "other"} })); len(got) != 1 || got[0].Job.Key != "c" {
			s.Errorf("leased %s, want c", keys(got))
		}
		s.must(s.extend(l), "extend")
		s.end(done(l))
		s.must(ask[queue.Pauser](s).Resume(s.ctx, by, "q"), "resume")
		s.take("w")
	}},
	{"pause is shown", "the depth of a paused queue says so", []Need{pauses, inspects}, func(s *Scene) {
		s.accept(job("a"))
		s.must(ask[queue.Pauser](s).Pause(s.ctx, by, "q"), "pause")
		if d := s.depth("q", func(d queue.Depth) bool { return d.Paused }); !d.Paused {
			s.Errorf("%+v", d)
		}
		s.must(ask[queue.Pauser](s).Resume(s.ctx, by, "q"), "resume")
		if d := s.depth("q", func(d queue.Depth) bool { return !d.Paused }); d.Paused {
			s.Errorf("%+v", d)
		}
	}},
	{"pause needs who and why", "a pause needs who and why, and a name that is one", []Need{pauses}, func(s *Scene) {
		s.is(ask[queue.Pauser](s).Pause(s.ctx, queue.Actor{}, "q"), queue.ErrInvalid, "by nobody")
		s.is(ask[queue.Pauser](s).Pause(s.ctx, by, "a{b}"), queue.ErrInvalid, "a bad name")
	}},
}
