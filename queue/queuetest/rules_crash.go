package queuetest

import (
	"fmt"
	"time"

	"github.com/twicehq/twice/queue"
)

var crashRules = []Rule{
	{"crash is counted by the next claim", "a crash is counted by the claim that replaces a lease lost with no word, and not before", []Need{counts, inspects}, func(s *Scene) {
		id := s.accept(job("a"))
		s.take("A")
		s.lapse()
		if n := s.record(id).Counts.Crashes; n != 0 {
			s.Errorf("%d crashes counted before the next claim", n)
		}
		if c := s.take("B").Counts; c.Crashes != 1 || c.Failures != 0 {
			s.Errorf("%+v, want one crash", c)
		}
	}},
	{"case 03 a crash is not a failure", "killed twice, then a success: done, failures 0, crashes 2", []Need{counts, inspects}, func(s *Scene) {
		id := s.accept(job("a", whole))
		for range 2 {
			s.take("w")
			s.lapse()
		}
		s.end(done(s.take("w")))
		if r := s.record(id); r.State != queue.Done || r.Counts.Failures != 0 || r.Counts.Crashes != 2 {
			s.Errorf("%s, %+v", r.State, r.Counts)
		}
	}},
	{"a failure is no crash", "a failure, an interruption or a snooze counts no crash", []Need{counts}, func(s *Scene) {
		s.accept(job("a"))
		for range 3 {
			s.end(failed(s.take("w")))
			s.lapse()
		}
		if c := s.take("w").Counts; c.Crashes != 0 || c.Failures != 3 {
			s.Errorf("%+v", c)
		}
	}},
	{"own silence", "where the engine itself served no write for a ttl, leases that ran out meanwhile get one more, once, and no crash is counted", []Need{counts}, func(s *Scene) {
		s.accept(job("a"), job("b"))
		leases := s.claim(request("A"))
		s.Clock.Advance(10 * ttl)
		s.none("nobody could have extended it")
		s.must(s.extend(leases[0]), "extend after the silence")
		s.end(failed(leases[0]))
		if l := s.take("A"); l.Job.ID != leases[0].Job.ID || l.Counts.Crashes != 0 {
			s.Errorf("%s: %+v", l.Job.Key, l.Counts)
		}
		s.lapse()
		got := s.claim(request("B"))
		if len(got) != 2 {
			s.Fatalf("one more ttl passed: leased %s, want both", keys(got))
		}
		for _, l := range got {
			if l.Counts.Crashes != 1 {
				s.Errorf("%s: %+v, want one crash", l.Job.Key, l.Counts)
			}
		}
	}},
	{"spared once", "where claims come more rarely than a lease lasts, steadily or not, a lease whose holder is dead is spared once, and then replaced as a crash", []Need{counts}, func(s *Scene) {
		for what, steps := range map[string][]time.Duration{
			"steadily":    {2 * ttl, 2 * ttl},
			"irregularly": {ttl + 5*time.Second, 10 * time.Second, ttl + 5*time.Second},
		} {
			s.accept(job(what))
			s.take("A")
			for i, step := range steps {
				s.Clock.Advance(step)
				got := s.claim(request("B"))
				if last := i == len(steps)-1; last != (len(got) == 1) {
					s.Fatalf("%s: claim %d after its holder died leased %s", what, i+1, keys(got))
				}
				for _, l := range got {
					if l.Counts.Crashes != 1 {
						s.Errorf("%s: %+v, want one crash", what, l.Counts)
					}
					s.end(done(l))
				}
			}
		}
	}},
	{"spared once beside other writes", "where everybody comes more rarely than a lease lasts, a lease whose holder is dead is spared once, and then replaced as a crash", []Need{counts}, func(s *Scene) {
		dead := s.accept(job("a"))
		s.take("A")
		for n := range 2 {
			s.Clock.Advance(ttl + time.Second)
			s.accept(job(fmt.Sprint(n)))
			s.Clock.Advance(ttl + time.Second)
			for _, l := range s.claim(request("B")) {
				if l.Job.ID == dead && l.Counts.Crashes == 1 {
					return
				}
				if l.Counts.Crashes > 0 {
					s.Errorf("%s: %+v", l.Job.Key, l.Counts)
				}
				s.end(done(l))
			}
		}
		s.Errorf("it was not replaced")
	}},
	{"spared again", "once its holder is heard, by an extend or as that of a new claim, a lease is spared in another silence", []Need{counts}, func(s *Scene) {
		s.accept(job("a"))
		l := s.take("A")
		for range 3 {
			s.Clock.Advance(10 * ttl)
			s.none("nobody could have extended it")
			s.must(s.extend(l), "extend after the silence")
		}
		s.Clock.Advance(10 * ttl)
		s.accept(job("b"))
		if b := s.take("A"); b.Job.Key != "b" { // by the claim that finds the silence
			s.Fatalf("leased %s", b.Job.Key)
		}
		s.must(s.extend(l), "extend")
		s.Clock.Advance(10 * ttl)
		s.none("nobody could have extended either")
		s.lapse()
		for _, l := range s.claim(request("B")) {
			if l.Counts.Crashes != 1 {
				s.Errorf("%s: %+v, want one crash", l.Job.Key, l.Counts)
			}
		}
		s.Clock.Advance(10 * ttl)
		s.none("these are new leases")
	}},
	{"the first write after a silence", "whatever write is the first after a silence of a ttl, no crash is counted for leases that ran out in it, until one more ttl has passed", []Need{counts}, func(s *Scene) {
		for _, w := range []struct {
			what  string
			write func(queue.Lease)
		}{
			{"a ping", func(queue.Lease) { s.must(s.Engine.Ping(s.ctx), "ping") }},
			{"an enqueue", func(queue.Lease) { s.accept(job("later")) }},
			{"an extend of another", func(l queue.Lease) { s.must(s.extend(l), "extend") }},
			{"a settlement of another", func(l queue.Lease) { s.end(failed(l)) }},
			{"somebody else's", func(queue.Lease) { s.beat() }},
		} {
			s.silent(w.what, w.write)
		}
	}},
	{"the first write after a silence, in a transaction", "where that is a write in the application's transaction, likewise", []Need{counts, transacts}, func(s *Scene) {
		s.silent("a transaction", func(queue.Lease) {
			s.must(ask[Transacting](s).Transact(s.ctx, func(tx queue.Tx) error {
				_, err := tx.Enqueue(s.ctx, job("later"))
				return err
			}), "enqueue in a transaction")
		})
	}},
	{"no grace where others were served", "while the engine serves others, a lease that ran out is replaced at once", []Need{counts}, func(s *Scene) {
		s.accept(job("a"))
		s.take("A")
		for range 3 {
			s.Clock.Advance(ttl / 3)
			s.beat()
		}
		s.Clock.Advance(queue.Resolution)
		if c := s.take("B").Counts; c.Crashes != 1 {
			s.Errorf("%+v", c)
		}
	}},
}

// silent leases two jobs, lets the engine serve nobody, and then what write does to the second. The first is held for
// one more ttl, and then replaced.
func (s *Scene) silent(what string, write func(queue.Lease)) {
	s.Helper()
	first := s.accept(job("first, "+what), job("second, "+what))
	leases := s.claim(request("A"))
	if len(leases) != 2 || leases[0].Job.ID != first {
		s.Fatalf("leased %s, want both", keys(leases))
	}
	s.Clock.Advance(10 * ttl)
	write(leases[1])
	for range 2 {
		for _, l := range s.claim(request("B")) {
			if l.Job.ID == first || l.Counts.Crashes > 0 {
				s.Fatalf("after %s: %s, %+v", what, l.Job.Key, l.Counts)
			}
			s.end(done(l))
		}
		s.Clock.Advance(queue.Resolution)
	}
	s.lapse()
	replaced := false
	for _, l := range s.claim(request("B")) {
		if l.Counts.Crashes != 1 {
			s.Errorf("after %s and a ttl: %s, %+v, want one crash", what, l.Job.Key, l.Counts)
		}
		replaced = replaced || l.Job.ID == first
		s.end(done(l))
	}
	if !replaced {
		s.Errorf("after %s and a ttl: it was not replaced", what)
	}
}

// crash lets n leases of the one job run out.
func (s *Scene) crash(n int) {
	s.Helper()
	for range n {
		s.take("crasher")
		s.lapse()
	}
}

var loneRules = []Rule{
	{"suspect", "the claim that counts the (cap−1)-th crash marks the job lone and does not lease it to company; its token rises all the same", []Need{counts, inspects}, func(s *Scene) {
		id := s.accept(job("a"))
		s.crash(2)
		before := s.record(id).Token
		s.none("it is one crash short of its cap", caps(3))
		r := s.record(id)
		if !r.Lone || r.State != queue.Queued || r.Counts.Crashes != 2 || r.Token <= before {
			s.Errorf("lone %v, %s, %d crashes, token %d after %d", r.Lone, r.State, r.Counts.Crashes, r.Token, before)
		}
		s.none("it is lone", caps(3))
		if l := s.take("w", lone, caps(3)); !l.Lone || l.Counts.Crashes != 2 || l.Token <= r.Token {
			s.Errorf("lone %v, %d crashes, token %d", l.Lone, l.Counts.Crashes, l.Token)
		}
	}},
	{"lone claims", "a lone claim gets lone jobs and no others; a lone job goes to lone claims only", []Need{counts}, func(s *Scene) {
		s.accept(job("suspect"))
		end := failed(s.take("w"))
		end.Lone = true
		s.end(end)
		s.accept(job("innocent"))
		if l := s.take("w"); l.Job.Key != "innocent" || l.Lone {
			s.Errorf("company got %s", l.Job.Key)
		}
		if l := s.take("w", lone); l.Job.Key != "suspect" || !l.Lone {
			s.Errorf("the lone claim got %s", l.Job.Key)
		}
		s.none("no other is lone", lone)
	}},
	{"one lone at a time", "one lone job of a queue is leased at a time; it frees itself when it is settled or its lease runs out", []Need{counts}, func(s *Scene) {
		s.accept(job("a"), job("b"), job("c"), job("d", func(j *queue.Job) { j.Queue = "other" }))
		for _, l := range s.claim(request("w", func(c *queue.Claim) { c.Queues = []string{"q", "other"} })) {
			end := failed(l)
			end.Lone = true
			s.end(end)
		}
		first := s.take("w", lone)
		s.none("a lone job of the queue is leased", lone)
		s.take("w", lone, func(c *queue.Claim) { c.Queues = []string{"other"} })
		s.end(done(first))
		second := s.take("w", lone)
		s.none("a lone job of the queue is leased", lone)
		s.lapse()
		third := s.take("w", lone)
		s.none("a lone job of the queue is leased", lone)
		if second.Job.ID == first.Job.ID || third.Job.ID == first.Job.ID {
			s.Errorf("%s was leased again", first.Job.Key)
		}
	}},
	{"no lone runs below a cap of 2", "a kind without a crash cap, or with one below 2, has no lone runs", []Need{counts}, func(s *Scene) {
		s.accept(job("a"))
		s.crash(1)
		l := s.take("w", caps(1))
		if l.Lone || l.Counts.Crashes != 1 {
			s.Errorf("lone %v, %+v", l.Lone, l.Counts)
		}
		s.lapse()
		if l = s.take("w"); l.Lone || l.Counts.Crashes != 2 {
			s.Errorf("lone %v, %+v", l.Lone, l.Counts)
		}
	}},
	{"at its cap", "a job at or above its crash cap is leased all the same: the worker buries it, and its runs end there", []Need{counts}, func(s *Scene) {
		s.accept(job("a"))
		s.crash(2)
		s.none("it becomes a suspect", caps(3))
		s.take("w", lone, caps(3))
		s.lapse()
		s.none("it is lone", caps(3))
		l := s.take("w", lone, caps(3))
		if l.Counts.Crashes != 3 || !l.Lone {
			s.Errorf("%+v, lone %v", l.Counts, l.Lone)
		}
		s.end(dead(l, queue.ReasonCrashes))
		s.accept(job("b"))
		s.crash(4)
		if l := s.take("w", caps(3)); l.Job.Key != "b" || l.Counts.Crashes != 4 {
			s.Errorf("above its cap: %s, %+v", l.Job.Key, l.Counts)
		}
	}},
	{"suspects hold up nobody", "many suspects neither stop the queue nor starve: healthy jobs go on beside them, and they go one by one", []Need{counts}, func(s *Scene) {
		const n = 10
		for i := range n {
			s.accept(job(fmt.Sprint(i)))
		}
		s.claim(request("lost node"))
		s.lapse()
		s.none("all became suspects", caps(2))
		s.accept(job("healthy"))
		if l := s.take("w", caps(2)); l.Job.Key != "healthy" {
			s.Errorf("leased %s", l.Job.Key)
		}
		for range n {
			s.end(done(s.take("w", lone, caps(2))))
		}
		s.none("all suspects ran", lone)
	}},
}
