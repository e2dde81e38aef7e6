package queuetest

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/twicehq/twice/queue"
)

var claimRules = []Rule{
	{"claim of nothing", "no lease and no error: nothing was due", nil, func(s *Scene) {
		s.none("nothing is stored")
		s.accept(job("a"))
		s.take("w")
		s.none("the only job is leased")
	}},
	{"claim by queue", "only jobs in one of the queues asked for", nil, func(s *Scene) {
		s.accept(job("a"), job("b", func(j *queue.Job) { j.Queue = "other" }), job("c", func(j *queue.Job) { j.Queue = "third" }))
		if l := s.take("w"); l.Job.Key != "a" {
			s.Errorf("leased %s", l.Job.Key)
		}
		leases := s.claim(request("w", func(c *queue.Claim) { c.Queues = []string{"other", "third"} }))
		if len(leases) != 2 {
			s.Errorf("leased %s, want b and c", keys(leases))
		}
	}},
	{"case 05 unknown kind", "jobs of a kind that nobody asks for are left untouched, and hold up no others", nil, func(s *Scene) {
		for i := range 50 {
			s.accept(job(fmt.Sprint(i), func(j *queue.Job) { j.Kind, j.Priority = "unknown", 9 }))
		}
		s.accept(job("a"))
		if l := s.take("w"); l.Job.Key != "a" || l.Job.Kind != "k" {
			s.Errorf("leased %s/%s", l.Job.Kind, l.Job.Key)
		}
		s.none("no handler for it is here")
		s.Clock.Advance(24 * time.Hour)
		leases := s.claim(request("w", func(c *queue.Claim) { c.Kinds, c.Max = []string{"unknown"}, 100 }))
		if len(leases) != 50 || leases[0].Token != 1 && s.Engine.Traits().Fences {
			s.Errorf("%d of 50 waited untouched", len(leases))
		}
	}},
	{"claim order", "higher priority first, then the one due longest", nil, func(s *Scene) {
		now := s.Clock.Now()
		at := func(priority, minutes int) func(*queue.Job) {
			return func(j *queue.Job) { j.Priority, j.RunAt = priority, now.Add(time.Duration(minutes)*time.Minute) }
		}
		s.accept(job("low", at(-1, 1)), job("late", at(0, 3)), job("early", at(0, 2)), job("high", at(9, 4)))
		s.Clock.Advance(5 * time.Minute)
		var got []string
		for range 4 {
			leases := s.claim(request("w", upTo(1)))
			got = append(got, keys(leases)...)
		}
		if want := []string{"high", "early", "late", "low"}; !slices.Equal(got, want) {
			s.Errorf("leased %s, want %s", got, want)
		}
	}},
	{"order across queues", "the order holds across the queues and kinds of one claim", nil, func(s *Scene) {
		other := func(j *queue.Job) { j.Queue, j.Kind = "other", "k2" }
		s.accept(job("a"), job("b", other, func(j *queue.Job) { j.Priority = 1 }))
		leases := s.claim(request("w", upTo(1), func(c *queue.Claim) { c.Queues, c.Kinds = []string{"q", "other"}, []string{"k", "k2"} }))
		if len(leases) != 1 || leases[0].Job.Key != "b" {
			s.Errorf("leased %s, want b", keys(leases))
		}
	}},
	{"claim at most", "at most Max leases", nil, func(s *Scene) {
		for i := range 7 {
			s.accept(job(fmt.Sprint(i)))
		}
		for i, want := range []int{5, 2, 0} {
			if n := len(s.claim(request("w", upTo(5)))); n != want {
				s.Errorf("claim %d: %d leases, want %d", i, n, want)
			}
		}
	}},
	{"case 08 long delay", "a delay of ten leases: not before its run-at, then once", nil, func(s *Scene) {
		s.accept(job("a", func(j *queue.Job) { j.RunAt = s.Clock.Now().Add(10 * ttl) }))
		for range 10 {
			s.none("its run-at has not come")
			s.Clock.Advance(ttl - time.Millisecond)
		}
		s.none("its run-at has not quite come")
		s.Clock.Advance(10 * time.Millisecond)
		s.end(done(s.take("w")))
		s.none("it has run")
	}},
	{"lease says", "a lease carries who claimed, when by the engine's clock, since when it was due, until when, and how fresh the job is", nil, func(s *Scene) {
		due := s.Clock.Now()
		s.accept(job("a"))
		s.Clock.Advance(time.Minute)
		l := s.take("worker 1")
		now := s.Clock.Now()
		if l.Worker != "worker 1" || !l.ClaimedAt.Equal(now) || !l.Until.Equal(now.Add(ttl)) || l.FreshAt.Before(now) {
			s.Errorf("worker %q, claimed %s, until %s, fresh %s; now %s", l.Worker, l.ClaimedAt, l.Until, l.FreshAt, now)
		}
		if !l.DueAt.Equal(due) {
			s.Errorf("due since %s, want %s", l.DueAt, due)
		}
		later := now.Add(time.Hour)
		s.end(queue.Settlement{Lease: l, State: queue.Queued, Outcome: queue.OutcomeFailed, Count: queue.CountFailure, RunAt: later})
		s.Clock.Advance(2 * time.Hour)
		if again := s.take("worker 1"); !again.DueAt.Equal(later) {
			s.Errorf("a retry is due since %s, want %s", again.DueAt, later)
		}
		if l.ID.IsZero() || l.Token < 1 || l.Counts != (queue.Counts{}) || l.Lone {
			s.Errorf("id %s, token %d, counts %+v, lone %v", l.ID, l.Token, l.Counts, l.Lone)
		}
	}},
	{"token rises", "the token rises with each claim of the job, for ever", []Need{fences}, func(s *Scene) {
		s.accept(job("a"))
		var last int64
		for i := range 6 {
			l := s.take("w")
			if l.Token <= last {
				s.Errorf("claim %d has token %d after %d", i, l.Token, last)
			}
			last = l.Token
			if i%2 == 0 {
				s.end(failed(l))
			} else {
				s.lapse()
			}
		}
	}},
	{"lease id is derived", "the lease's id is derived from claim, job and token", []Need{repeats}, func(s *Scene) {
		s.accept(job("a"))
		req := request("w")
		l := s.claim(req)[0]
		if want := req.ID.Lease(l.Job.ID, l.Token); l.ID != want {
			s.Errorf("lease %s, want %s", l.ID, want)
		}
	}},
	{"claim repeated", "a repeated claim gives the same leases again, and no others", []Need{repeats}, func(s *Scene) {
		s.accept(job("a"), job("b"), job("c"), job("d"), job("e"))
		req := request("w", upTo(3))
		first, again := s.claim(req), s.claim(req)
		if len(first) != 3 || len(again) != 3 {
			s.Fatalf("%d leases, then %d, want 3 and 3", len(first), len(again))
		}
		ids := map[queue.LeaseID]bool{}
		for _, l := range first {
			ids[l.ID] = true
		}
		for _, l := range again {
			if !ids[l.ID] || l.Counts.Crashes != 0 {
				s.Errorf("%s: another lease, or a crash counted: %+v", l.Job.Key, l.Counts)
			}
		}
		s.end(done(first[0]))
		if again = s.claim(req); len(again) != 2 {
			s.Errorf("after one was settled: %s, want the other two", keys(again))
		}
	}},
	{"case 22 old claim request", "an old claim that arrives again revives nothing that was replaced", []Need{repeats, fences}, func(s *Scene) {
		s.accept(job("a"))
		old := request("A")
		a := s.claim(old)[0]
		s.lapse()
		b := s.take("B")
		if again := s.claim(old); len(again) != 0 {
			s.Errorf("while B holds it: leased %s", keys(again))
		}
		s.end(failed(b))
		for _, l := range s.claim(old) {
			if l.ID == a.ID || l.Token <= b.Token {
				s.Errorf("lease %s at token %d came back", l.ID, l.Token)
			}
		}
		s.is(s.settle(done(a)), queue.ErrLeaseLost, "A's settlement")
		s.is(s.extend(a), queue.ErrLeaseLost, "A's extension")
	}},
	{"claim is fresh", "each claim makes the job fresh", []Need{inspects}, func(s *Scene) {
		id := s.accept(job("a", func(j *queue.Job) { j.Origin = s.Clock.Now().Add(-time.Hour) }))
		s.Clock.Advance(time.Hour)
		l := s.take("w")
		if r := s.record(id); l.FreshAt.Before(s.Clock.Now()) || r.FreshAt.Before(s.Clock.Now()) {
			s.Errorf("fresh at %s by lease, %s by record; now %s", l.FreshAt, r.FreshAt, s.Clock.Now())
		}
	}},
	{"claim that contradicts itself", "a claim without id, for no jobs, or with a ttl that is none or above MaxTTL is ErrInvalid", nil, func(s *Scene) {
		s.accept(job("a"))
		for what, bad := range map[string]func(*queue.Claim){
			"no id":            func(c *queue.Claim) { c.ID = queue.ClaimID{} },
			"max 0":            upTo(0),
			"ttl 0":            func(c *queue.Claim) { c.TTL = 0 },
			"ttl above MaxTTL": func(c *queue.Claim) { c.TTL = s.Engine.Traits().MaxTTL + time.Second },
		} {
			_, err := s.Engine.Claim(s.ctx, request("w", bad))
			s.is(err, queue.ErrInvalid, what)
		}
	}},
	{"claims side by side", "many claims at once: each job is leased once", nil, func(s *Scene) {
		const jobs, workers = 60, 6
		for i := range jobs {
			s.accept(job(fmt.Sprint(i)))
		}
		var (
			wait sync.WaitGroup
			mu   sync.Mutex
			got  = map[string]int{}
			errs []error
		)
		for w := range workers {
			wait.Go(func() {
				for range jobs {
					leases, err := s.Engine.Claim(s.ctx, request(fmt.Sprint(w), upTo(3)))
					mu.Lock()
					if err != nil {
						errs = append(errs, err)
					}
					for _, l := range leases {
						got[l.Job.Key]++
					}
					mu.Unlock()
					if err != nil || len(leases) == 0 {
						return
					}
				}
			})
		}
		wait.Wait()
		for _, err := range errs {
			s.Errorf("claim: %v", err)
		}
		for key, n := range got {
			if n != 1 {
				s.Errorf("%s was leased %d times", key, n)
			}
		}
		if len(got) != jobs {
			s.Errorf("%d of %d leased", len(got), jobs)
		}
	}},
}
