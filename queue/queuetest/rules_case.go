package queuetest

import (
	"fmt"
	"sync"
	"time"

	"github.com/twicehq/twice/queue"
)

var caseRules = []Rule{
	{"case 14 a million at rest", "work at rest, done or in the future, makes neither a claim nor an overview dearer than twice their cost in an empty store", []Need{works, inspects}, func(s *Scene) {
		w := ask[Working](s)
		cost := func(round int) int64 {
			s.accept(job(fmt.Sprint("ready ", round)))
			before := w.Worked()
			l := s.take("w")
			_, err := ask[queue.Inspector](s).Depths(s.ctx)
			s.must(err, "depths")
			spent := w.Worked() - before
			s.end(done(l))
			return spent
		}
		cost(0)
		empty := cost(1)
		const rest = 20_000
		batch := min(1000, s.Engine.Traits().MaxBatch)
		for i := 0; i < rest; i += batch {
			jobs := make([]queue.Job, batch)
			for k := range jobs {
				jobs[k] = job(fmt.Sprint("rest ", i+k), func(j *queue.Job) {
					if k%2 == 0 {
						j.RunAt = s.Clock.Now().Add(1000 * time.Hour)
					}
				})
			}
			s.accept(jobs...)
			leases := s.claim(request("w", upTo(batch)))
			ends := make([]queue.Settlement, len(leases))
			for k, l := range leases {
				ends[k] = done(l)
			}
			_, err := s.Engine.Settle(s.ctx, ends...)
			s.must(err, "settle")
		}
		if full := cost(2); full > 2*empty {
			s.Errorf("cost %d with %d at rest, %d without", full, rest, empty)
		}
	}},
	{"case 16 consumers down", "many ids enqueued with none consuming, and sent again: each stored once, depth and oldest age right; then drained", []Need{inspects, dedupes}, func(s *Scene) {
		const n = 1000
		since := s.Clock.Now()
		batch := make([]queue.Job, n)
		for i := range batch {
			batch[i] = job(fmt.Sprint(i))
		}
		size := min(n, s.Engine.Traits().MaxBatch)
		for range 2 {
			for from := 0; from < n; from += size {
				s.enqueue(batch[from:min(n, from+size)]...)
			}
			s.Clock.Advance(time.Hour)
		}
		d := s.depth("q", func(d queue.Depth) bool { return d.Queued == n })
		if d.Queued != n || d.Accepted != n || d.Ready.N != n || !d.OldestDue.Equal(since) {
			s.Errorf("%+v, oldest due %s, want %d since %s", d, d.OldestDue, n, since)
		}
		seen := map[string]bool{}
		for {
			leases := s.claim(request("w", upTo(size)))
			if len(leases) == 0 {
				break
			}
			for _, l := range leases {
				seen[l.Job.Key] = true
				s.end(done(l))
			}
		}
		if len(seen) != n {
			s.Errorf("%d of %d drained", len(seen), n)
		}
	}},
	{"case 19 lost replies", "every call's reply is lost once and the call repeated: one job, the same leases, one settlement, no crash", []Need{repeats, dedupes, fences, counts, inspects}, func(s *Scene) {
		id := s.accept(job("a", whole))
		if got := s.enqueue(job("a", whole))[0]; got.Status != queue.Duplicate {
			s.Errorf("enqueue again: %s", got.Status)
		}
		for round := range 2 {
			req := request("w")
			first := s.claim(req)
			again := s.claim(req)
			if len(first) != 1 || len(again) != 1 || first[0].ID != again[0].ID || first[0].Token != again[0].Token {
				s.Fatalf("claim again: %v, then %v", first, again)
			}
			for range 2 {
				s.must(s.extend(again[0]), "extend")
			}
			end := failed(again[0])
			if round == 1 {
				end = follow(again[0], job("b"))
			}
			for range 2 {
				s.must(s.settle(end), "settle")
			}
		}
		r := s.record(id)
		if r.State != queue.Done || r.Counts.Failures != 1 || r.Counts.Crashes != 0 || len(r.Attempts) != 2 {
			s.Errorf("%s, %+v, %d attempts", r.State, r.Counts, len(r.Attempts))
		}
		s.take("w")
	}},
	{"everything at once", "producers, workers and a redelivering world at once: every job is done once, and the books agree", []Need{audits, fences}, func(s *Scene) {
		const producers, each, workers = 4, 25, 4
		var wait sync.WaitGroup
		for p := range producers {
			wait.Go(func() {
				for i := range each {
					for range 2 {
						if _, err := s.Engine.Enqueue(s.ctx, job(fmt.Sprint(p, " ", i))); err != nil {
							s.Errorf("enqueue: %v", err)
						}
					}
				}
			})
		}
		ended := make(chan string, producers*each*2)
		stop := make(chan struct{})
		var drain sync.WaitGroup
		for w := range workers {
			drain.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					leases, err := s.Engine.Claim(s.ctx, request(fmt.Sprint(w), upTo(4), func(c *queue.Claim) { c.Wait = 20 * time.Millisecond }))
					if err != nil {
						s.Errorf("claim: %v", err)
						return
					}
					for i, l := range leases {
						end := done(l)
						if i%3 == 2 && l.Token < 3 {
							end = failed(l)
						}
						if errs, err := s.Engine.Settle(s.ctx, end); err != nil || errs[0] != nil {
							s.Errorf("settle: %v, %v", errs, err)
						} else if end.State == queue.Done {
							ended <- l.Job.Key
						}
					}
				}
			})
		}
		wait.Wait()
		seen := map[string]int{}
		over := time.After(2 * long)
		for len(seen) < producers*each {
			select {
			case key := <-ended:
				seen[key]++
				continue
			case <-over:
			}
			break
		}
		close(stop)
		drain.Wait()
		close(ended)
		for key := range ended {
			seen[key]++
		}
		for key, n := range seen {
			if n != 1 {
				s.Errorf("%q was done %d times", key, n)
			}
		}
		if b := s.books("q"); b.Accepted != producers*each || b.Found.Done != producers*each || b.Missing() != 0 {
			s.Errorf("%+v", b)
		}
	}},
}
