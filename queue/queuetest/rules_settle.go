package queuetest

import (
	"time"

	"github.com/twicehq/twice/queue"
)

var settleRules = []Rule{
	{"settle done", "done: the job has ended well and is claimed no more", nil, func(s *Scene) {
		id := s.accept(job("a"))
		s.end(done(s.take("w")))
		s.state(id, queue.Done)
		s.Clock.Advance(time.Hour)
		s.none("it is done")
	}},
	{"settle again", "queued again: not before its run-at; zero: at once", nil, func(s *Scene) {
		id := s.accept(job("a"))
		later := failed(s.take("w"))
		later.RunAt = s.Clock.Now().Add(time.Minute)
		s.end(later)
		s.state(id, queue.Queued)
		s.Clock.Advance(time.Minute - time.Second)
		s.none("its next run has not come")
		s.Clock.Advance(2 * time.Second)
		s.end(failed(s.take("w")))
		s.take("w")
	}},
	{"settle dead", "dead: kept whole with reason, error and effects for a person; claimed no more", []Need{inspects}, func(s *Scene) {
		id := s.accept(job("a"))
		end := dead(s.take("w"), queue.ReasonFailures)
		end.Effects = []queue.Effect{{Step: "charge", State: queue.EffectRecorded}, {Step: "mail", State: queue.EffectUnknown}}
		s.end(end)
		r := s.record(id)
		if r.State != queue.Dead || r.Reason != queue.ReasonFailures || r.Error != "it gave up" || !r.Whole || string(r.Job.Payload) != "a" || r.EndedAt.IsZero() {
			s.Errorf("%+v", r)
		}
		if len(r.Effects) != 2 || r.Effects[0] != end.Effects[0] || r.Effects[1] != end.Effects[1] {
			s.Errorf("effects %v", r.Effects)
		}
		s.Clock.Advance(1000 * time.Hour)
		s.none("it is dead")
	}},
	{"settlement repeated", "repeating an applied settlement is a success until the job's next claim, and ErrLeaseLost after it; nothing is counted twice", []Need{fences, counts}, func(s *Scene) {
		s.accept(job("a"))
		end := failed(s.take("w"))
		for range 3 {
			s.must(s.settle(end), "the same settlement")
		}
		l := s.take("w")
		if l.Counts.Failures != 1 {
			s.Errorf("%d failures counted, want 1", l.Counts.Failures)
		}
		s.is(s.settle(end), queue.ErrLeaseLost, "after the next claim")
		last := dead(l, queue.ReasonFailures)
		s.end(last)
		s.must(s.settle(last), "dead, repeated")
	}},
	{"end repeated", "a settlement that ended the job well is a success when repeated", []Need{fences}, func(s *Scene) {
		s.accept(job("a"))
		end := done(s.take("w"))
		s.end(end)
		s.must(s.settle(end), "done, repeated")
		s.Clock.Advance(time.Hour)
		s.must(s.settle(end), "done, repeated late")
	}},
	{"terminal states absorb", "another settlement by a lease that was settled is ErrLeaseLost: done, dead and queued stay", []Need{fences}, func(s *Scene) {
		id := s.accept(job("a"))
		l := s.take("w")
		s.end(done(l))
		s.is(s.settle(failed(l)), queue.ErrLeaseLost, "queued after done")
		s.is(s.settle(dead(l, queue.ReasonBuried)), queue.ErrLeaseLost, "dead after done")
		s.state(id, queue.Done)
		id = s.accept(job("b"))
		l = s.take("w")
		s.end(dead(l, queue.ReasonBuried))
		s.is(s.settle(done(l)), queue.ErrLeaseLost, "done after dead")
		s.state(id, queue.Dead)
		id = s.accept(job("c"))
		l = s.take("w")
		s.end(failed(l))
		s.is(s.settle(done(l)), queue.ErrLeaseLost, "done after queued again")
		s.state(id, queue.Queued)
	}},
	{"settlement that contradicts itself", "a settlement that contradicts itself is ErrInvalid, changes nothing, and hinders no other", nil, func(s *Scene) {
		s.accept(job("a"), job("b"))
		leases := s.claim(request("w"))
		for _, bad := range []queue.Settlement{
			{Lease: leases[0], State: queue.Running, Outcome: queue.OutcomeDone},
			{Lease: leases[0], State: queue.Dead, Outcome: queue.OutcomeFailed},
			{Lease: leases[0], State: queue.Done},
		} {
			s.is(s.settle(bad), queue.ErrInvalid, bad.State.String())
		}
		errs, err := s.Engine.Settle(s.ctx, queue.Settlement{Lease: leases[0]}, done(leases[1]))
		if err != nil || len(errs) != 2 || errs[0] == nil || errs[1] != nil {
			s.Errorf("%v, %v", errs, err)
		}
		s.must(s.settle(done(leases[0])), "a good settlement after bad ones")
	}},
	{"ways are counted apart", "failures, interruptions and snoozes are counted separately, crashes by the engine", []Need{counts}, func(s *Scene) {
		s.accept(job("a"))
		again := func(how queue.Outcome, c queue.Counter) {
			s.Helper()
			s.end(queue.Settlement{Lease: s.take("w"), State: queue.Queued, Outcome: how, Count: c})
		}
		again(queue.OutcomeFailed, queue.CountFailure)
		again(queue.OutcomeTimedOut, queue.CountFailure)
		again(queue.OutcomeInterrupted, queue.CountInterruption)
		for range 3 {
			again(queue.OutcomeSnoozed, queue.CountSnooze)
		}
		again(queue.OutcomeFailed, queue.CountNothing)
		s.take("w")
		s.lapse()
		want := queue.Counts{Failures: 2, Crashes: 1, Interruptions: 1, Snoozes: 3}
		if got := s.take("w").Counts; got != want {
			s.Errorf("%+v, want %+v", got, want)
		}
	}},
	{"checkpoint", "a checkpoint is handed to the next attempt; nil: the old one stays", nil, func(s *Scene) {
		s.accept(job("a"))
		end := failed(s.take("w"))
		end.Checkpoint = []byte("at 7")
		s.end(end)
		for range 2 {
			l := s.take("w")
			if string(l.Checkpoint) != "at 7" {
				s.Errorf("checkpoint %q", l.Checkpoint)
			}
			s.end(failed(l))
		}
	}},
}

// follow settles done with these to follow.
func follow(l queue.Lease, next ...queue.Job) queue.Settlement {
	end := done(l)
	end.Next = next
	return end
}

var nextRules = []Rule{
	{"next", "jobs to follow are enqueued in the same write", nil, func(s *Scene) {
		s.accept(job("a"))
		end := follow(s.take("w"), job("b"), job("c", func(j *queue.Job) { j.Queue = "other" }))
		s.end(end)
		s.must(s.settle(end), "the same settlement")
		s.end(done(s.take("w")))
		if l := s.take("w", func(c *queue.Claim) { c.Queues = []string{"other"} }); l.Job.Key != "c" {
			s.Errorf("leased %s", l.Job.Key)
		}
	}},
	{"next that is a duplicate", "a duplicate among those to follow is well", []Need{dedupes}, func(s *Scene) {
		s.accept(job("a", func(j *queue.Job) { j.Priority = 1 }), job("b"))
		s.end(follow(s.claim(request("w", upTo(1)))[0], job("b"), job("c"), job("c")))
		if n := len(s.claim(request("w"))); n != 2 {
			s.Errorf("%d jobs, want b and c", n)
		}
	}},
	{"next is atomic", "anything worse refuses the settlement as a whole: nothing is stored, the lease stays", []Need{dedupes}, func(s *Scene) {
		a := s.accept(job("a", func(j *queue.Job) { j.Priority = 1 }), job("b"))
		l := s.claim(request("w", upTo(1)))[0]
		other := job("b", func(j *queue.Job) { j.Payload = []byte("other") })
		s.is(s.settle(follow(l, job("c"), other)), queue.ErrConflict, "a conflict to follow")
		s.is(s.settle(follow(l, job("c"), job("d", func(j *queue.Job) { j.Kind = "" }))), queue.ErrInvalid, "a bad job to follow")
		large := job("d", func(j *queue.Job) { j.Payload = make([]byte, s.Engine.Traits().MaxPayload+1) })
		s.is(s.settle(follow(l, job("c"), large)), queue.ErrTooLarge, "a large job to follow")
		s.is(s.settle(follow(l, job("e"), job("e", func(j *queue.Job) { j.Payload = []byte("other") }))), queue.ErrConflict, "two that conflict")
		s.state(a, queue.Running)
		if rest := s.claim(request("w")); len(rest) != 1 || rest[0].Job.Key != "b" {
			s.Errorf("leased %s, want b alone", keys(rest))
		}
		s.must(s.extend(l), "extend after refusals")
		s.must(s.settle(done(l)), "settle after refusals")
	}},
	{"next of a lost lease", "a settlement whose lease is lost enqueues nothing", []Need{fences}, func(s *Scene) {
		s.accept(job("a"))
		old := s.take("A")
		s.lapse()
		s.end(done(s.take("B")))
		s.is(s.settle(follow(old, job("b"))), queue.ErrLeaseLost, "A's settlement")
		s.none("nothing was to follow")
	}},
}
