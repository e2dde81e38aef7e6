package queuetest

import (
	"context"
	"time"

	"github.com/twicehq/twice/queue"
)

// long is more than any rule waits; what a rule waits for comes much sooner.
const long = 20 * time.Second

// waiting starts a claim that waits, and gives its leases once it has them.
func (s *Scene) waiting(change ...func(*queue.Claim)) <-chan []queue.Lease {
	got := make(chan []queue.Lease, 1)
	req := request("waiter", append(change, func(c *queue.Claim) { c.Wait = long })...)
	go func() {
		leases, err := s.Engine.Claim(s.ctx, req)
		if err != nil {
			s.Errorf("waiting claim: %v", err)
		}
		got <- leases
	}()
	time.Sleep(20 * time.Millisecond) // most likely it waits by now; where it does not yet, the rule is weaker, not wrong
	return got
}

// woken holds that the claim gets the one job within half of its wait.
func (s *Scene) woken(got <-chan []queue.Lease, why string) {
	s.Helper()
	start := time.Now()
	if leases := <-got; len(leases) != 1 {
		s.Errorf("%s: it got %d leases, want 1", why, len(leases))
	} else if waited := time.Since(start); waited > long/2 {
		s.Errorf("%s: it was woken only after %s", why, waited)
	}
}

var waitRules = []Rule{
	{"wait ends empty", "a claim waits up to Wait for the first lease; then: no lease and no error", nil, func(s *Scene) {
		start := time.Now()
		s.none("nothing is stored", func(c *queue.Claim) { c.Wait = 40 * time.Millisecond })
		if d := time.Since(start); d < 30*time.Millisecond || d > long/2 {
			s.Errorf("it waited %s, want 40ms", d)
		}
	}},
	{"enqueue wakes", "an enqueue wakes a claim that waits for it", nil, func(s *Scene) {
		got := s.waiting()
		s.accept(job("other", func(j *queue.Job) { j.Kind = "k2" }), job("a"))
		s.woken(got, "enqueue")
	}},
	{"settle wakes", "a settlement that queues the job again at once wakes a claim that waits for it", nil, func(s *Scene) {
		s.accept(job("a"))
		l := s.take("w")
		got := s.waiting()
		s.end(failed(l))
		s.woken(got, "settle")
	}},
	{"next wakes", "a job that follows a settlement wakes a claim that waits for it", nil, func(s *Scene) {
		s.accept(job("a"))
		end := done(s.take("w"))
		end.Next = []queue.Job{job("b")}
		got := s.waiting()
		s.end(end)
		s.woken(got, "next")
	}},
	{"redrive wakes", "a redrive wakes a claim that waits for the job", []Need{operates}, func(s *Scene) {
		id := s.bury("a", queue.ReasonFailures)
		got := s.waiting()
		s.must(s.one(ask[queue.Operator](s).Redrive(s.ctx, by, id)), "redrive")
		s.woken(got, "redrive")
	}},
	{"resume wakes", "a resume wakes a claim that waits for the queue", []Need{pauses}, func(s *Scene) {
		s.must(ask[queue.Pauser](s).Pause(s.ctx, by, "q"), "pause")
		s.accept(job("a"))
		got := s.waiting()
		s.must(ask[queue.Pauser](s).Resume(s.ctx, by, "q"), "resume")
		s.woken(got, "resume")
	}},
	{"time wakes", "the moment when a future job becomes due wakes a claim that waits for it", nil, func(s *Scene) {
		s.Clock.Run()
		s.accept(job("a", func(j *queue.Job) { j.RunAt = s.Clock.Now().Add(150 * time.Millisecond) }))
		s.woken(s.waiting(), "its run-at")
	}},
	{"lost lease wakes", "the moment when a lease runs out wakes a claim that waits for the job", nil, func(s *Scene) {
		s.Clock.Run()
		s.accept(job("a"))
		s.take("w", func(c *queue.Claim) { c.TTL = 300 * time.Millisecond })
		s.woken(s.waiting(), "the end of its lease")
	}},
	{"suspect wakes", "the claim that marks a suspect wakes a lone claim that waits", []Need{counts}, func(s *Scene) {
		s.accept(job("a"))
		s.take("w")
		s.lapse()
		got := s.waiting(lone)
		s.none("it becomes a suspect", caps(2))
		s.woken(got, "a suspect")
	}},
	{"room for the next lone wakes", "a lone claim that waits is woken when another lone job of the queue, of whatever kind, ends or runs out", []Need{counts}, func(s *Scene) {
		s.accept(job("a"), job("b"), job("c", func(j *queue.Job) { j.Kind = "k2" }))
		for _, l := range s.claim(request("w", func(c *queue.Claim) { c.Kinds = []string{"k", "k2"} })) {
			end := failed(l)
			end.Lone = true
			s.end(end)
		}
		k2 := func(c *queue.Claim) { c.Kinds, c.TTL = []string{"k2"}, 300*time.Millisecond }
		first := s.take("w", lone, k2)
		got := s.waiting(lone, upTo(1))
		s.end(failed(first))
		l := <-got
		if len(l) != 1 {
			s.Fatalf("%d leases once there was room", len(l))
		}
		s.end(done(l[0]))
		s.Clock.Run()
		s.take("w", lone, k2)
		s.woken(s.waiting(lone, upTo(1)), "the end of the lone job's lease")
	}},
	{"wait and context", "a wait ends with its context, and takes nothing with it", nil, func(s *Scene) {
		ctx, cancel := context.WithCancel(s.ctx)
		ended := make(chan error, 1)
		go func() {
			_, err := s.Engine.Claim(ctx, request("w", func(c *queue.Claim) { c.Wait = long }))
			ended <- err
		}()
		cancel()
		start := time.Now()
		if err := <-ended; err == nil || time.Since(start) > long/2 {
			s.Errorf("ended after %s with %v", time.Since(start), err)
		}
		s.accept(job("a"))
		s.take("w")
	}},
	{"close ends waits", "Close ends calls under way with ErrClosed or lets them finish; after it every call is ErrClosed; it may be called again", nil, func(s *Scene) {
		ended := make(chan error, 1)
		go func() {
			_, err := s.Engine.Claim(s.ctx, request("w", func(c *queue.Claim) { c.Wait = long }))
			ended <- err
		}()
		start := time.Now()
		s.must(s.Engine.Close(), "close")
		s.is(<-ended, queue.ErrClosed, "the waiting claim")
		if d := time.Since(start); d > long/2 {
			s.Errorf("it took %s", d)
		}
		s.must(s.Engine.Close(), "close again")
		_, err := s.Engine.Enqueue(s.ctx, job("a"))
		s.is(err, queue.ErrClosed, "enqueue after close")
		s.is(s.Engine.Ping(s.ctx), queue.ErrClosed, "ping after close")
	}},
	{"ping", "Ping is well while the engine can serve a write", nil, func(s *Scene) {
		s.must(s.Engine.Ping(s.ctx), "ping")
	}},
}
