package queuetest

import (
	"errors"
	"time"

	"github.com/twicehq/twice/queue"
)

var leaseRules = []Rule{
	{"extend", "extend makes a lease run until ttl from now", nil, func(s *Scene) {
		s.accept(job("a"))
		l := s.take("w")
		for range 5 {
			s.Clock.Advance(ttl * 2 / 3)
			s.must(s.extend(l), "extend")
			s.none("its lease was extended")
		}
		s.end(done(l))
	}},
	{"lapsed and not replaced", "a lease that ran out but was not replaced still extends and settles", []Need{fences}, func(s *Scene) {
		s.accept(job("a"), job("b"))
		leases := s.claim(request("w"))
		s.lapse()
		s.must(s.extend(leases[0]), "extend after it ran out")
		s.must(s.settle(done(leases[1])), "settle after it ran out")
		s.none("one is extended, one is done")
		s.must(s.settle(done(leases[0])), "settle")
	}},
	{"replaced", "extend and settle by a lease that another claim has replaced change nothing and answer ErrLeaseLost", []Need{fences}, func(s *Scene) {
		id := s.accept(job("a"))
		old := s.take("A")
		s.lapse()
		b := s.take("B")
		s.is(s.extend(old), queue.ErrLeaseLost, "extend")
		for _, end := range []queue.Settlement{done(old), failed(old), dead(old, queue.ReasonBuried)} {
			s.is(s.settle(end), queue.ErrLeaseLost, "settle "+end.State.String())
		}
		s.state(id, queue.Running)
		s.Clock.Advance(ttl - time.Second)
		s.none("B's lease stands")
		s.must(s.settle(done(b)), "B's settlement")
	}},
	{"lease of another", "a lease id that was never given holds nothing, whatever its token", []Need{fences}, func(s *Scene) {
		s.accept(job("a"))
		l := s.take("w")
		forged := l
		forged.ID[0] ^= 1
		s.is(s.extend(forged), queue.ErrLeaseLost, "extend")
		s.is(s.settle(done(forged)), queue.ErrLeaseLost, "settle")
		stranger := l
		stranger.Job.ID = id("never enqueued")
		s.is(s.settle(done(stranger)), queue.ErrLeaseLost, "settle of a job that is not known")
		s.must(s.settle(done(l)), "settle by the holder")
	}},
	{"answers in order", "extend and settle answer one error each, in order; one that is lost hinders no other", []Need{fences}, func(s *Scene) {
		s.accept(job("a"))
		old := s.take("A")
		s.lapse()
		a := s.take("B")
		s.accept(job("b"))
		b := s.take("B")
		errs, err := s.Engine.Extend(s.ctx, ttl, b, old, a)
		if err != nil || len(errs) != 3 || errs[0] != nil || !errors.Is(errs[1], queue.ErrLeaseLost) || errs[2] != nil {
			s.Errorf("extend: %v, %v", errs, err)
		}
		errs, err = s.Engine.Settle(s.ctx, done(b), done(old), done(a))
		if err != nil || len(errs) != 3 || errs[0] != nil || !errors.Is(errs[1], queue.ErrLeaseLost) || errs[2] != nil {
			s.Errorf("settle: %v, %v", errs, err)
		}
	}},
	{"extend after the end", "a job that has ended extends for nobody", []Need{fences}, func(s *Scene) {
		s.accept(job("a"))
		l := s.take("w")
		s.end(done(l))
		s.is(s.extend(l), queue.ErrLeaseLost, "extend")
	}},
	{"case 01 zombie success", "A is frozen past its lease; B claims; A reports success: refused as lost, still running under B; one completion, B's", []Need{fences, inspects}, func(s *Scene) {
		id := s.accept(job("a", whole))
		a := s.take("A")
		s.lapse()
		b := s.take("B")
		success := done(a)
		success.Result = []byte("A's")
		s.is(s.settle(success), queue.ErrLeaseLost, "A's success")
		if r := s.record(id); r.State != queue.Running || r.Worker != "B" {
			s.Errorf("%s under %q, want running under B", r.State, r.Worker)
		}
		success = done(b)
		success.Result = []byte("B's")
		s.end(success)
		if r := s.record(id); r.State != queue.Done || string(r.Result) != "B's" {
			s.Errorf("%s with result %q", r.State, r.Result)
		}
	}},
	{"case 02 zombie failure after success", "B completes first, then A reports an error: it stays done, no retry, the error is not the job's", []Need{fences, inspects}, func(s *Scene) {
		id := s.accept(job("a", whole))
		a := s.take("A")
		s.lapse()
		s.end(done(s.take("B")))
		s.is(s.settle(failed(a)), queue.ErrLeaseLost, "A's failure")
		if r := s.record(id); r.State != queue.Done || r.Error == "it failed" || r.Counts.Failures != 0 {
			s.Errorf("%s, error %q, %d failures", r.State, r.Error, r.Counts.Failures)
		}
		s.none("it is done")
	}},
	{"case 21 zombie after the end", "B fails for the last time while A is frozen: A's lease is lost, whatever it tries", []Need{fences}, func(s *Scene) {
		id := s.accept(job("a"))
		a := s.take("A")
		s.lapse()
		s.end(dead(s.take("B"), queue.ReasonFailures))
		s.is(s.extend(a), queue.ErrLeaseLost, "A's extension")
		s.is(s.settle(done(a)), queue.ErrLeaseLost, "A's success")
		s.state(id, queue.Dead)
	}},
}
