package memory

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twicehq/twice/queue"
)

// Whatever makes jobs due, and whoever comes and goes meanwhile: once all is quiet, nobody waits for a job
// that is there to be had.
func TestNobodyWaitsInVain(t *testing.T) {
	for seed := range uint64(100) {
		synctest.Test(t, func(t *testing.T) {
			e := open(t)
			random := rand.New(rand.NewPCG(seed, 1))
			var held []queue.Lease
			got := make(chan []queue.Lease, 10_000)
			by := queue.Actor{Name: "ada", Why: "test"}
			kinds := []string{"k", "l", "m"}
			for step := range 200 {
				switch random.IntN(9) {
				case 0, 1:
					req := claim(time.Duration(random.IntN(300)) * time.Second)
					req.Kinds = kinds[:1+random.IntN(3)]
					req.Max = 1 + random.IntN(3)
					req.Lone = random.IntN(3) == 0
					req.CrashCaps = map[string]int{"k": 2}
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+random.IntN(300))*time.Second)
					go func() {
						defer cancel()
						leases, _ := e.Claim(ctx, req)
						got <- leases
					}()
				case 2, 3:
					var jobs []queue.Job
					for i := range 1 + random.IntN(4) {
						j := queue.Job{Queue: "q", Kind: kinds[random.IntN(3)], Key: fmt.Sprint(step, i), Priority: random.IntN(3)}
						if random.IntN(3) == 0 {
							j.RunAt = time.Now().Add(time.Duration(random.IntN(60)) * time.Second)
						}
						jobs = append(jobs, j)
					}
					_, _ = e.Enqueue(t.Context(), jobs...)
				case 4, 5:
					if len(held) > 0 {
						l := held[0]
						held = held[1:]
						end := queue.Settlement{Lease: l, State: queue.Queued, Outcome: queue.OutcomeFailed, Lone: random.IntN(3) == 0}
						if random.IntN(2) == 0 {
							end = queue.Settlement{Lease: l, State: queue.Done, Outcome: queue.OutcomeDone}
						}
						_, _ = e.Settle(t.Context(), end)
					}
				case 6:
					time.Sleep(time.Duration(random.IntN(40)) * time.Second)
				case 7:
					_ = e.Pause(t.Context(), by, "q")
				case 8:
					_ = e.Resume(t.Context(), by, "q")
				}
				if random.IntN(2) == 0 {
					continue // the next happens before anybody ran
				}
				synctest.Wait()
				for len(got) > 0 {
					held = append(held, <-got...)
				}
				e.mu.Lock()
				now := e.now()
				for _, w := range e.waiters {
					if r := e.best(w.req, now); r != nil {
						t.Errorf("seed %d, step %d: %s/%s is due, and a claim waits for it", seed, step, r.job.Kind, r.job.Key)
					}
				}
				e.mu.Unlock()
			}
			_ = e.Close()
			synctest.Wait()
		})
		if t.Failed() {
			return
		}
	}
}
