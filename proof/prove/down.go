package prove

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/proof/campaign"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

// A dependency is down for five minutes, and jobs that need it keep coming: on the engine's own order and the worker's own
// policy, with time set by hand, second by second.
const (
	outage       = 5 * time.Minute
	arrivals     = 4  // a second
	peakOverMean = 3. // of attempts a second
)

var downKind = twice.Define("prove.down", twice.Policy[lateArgs]{Key: func(a lateArgs) string { return fmt.Sprint(a.N) }, Queue: "prove"})

func down(ctx context.Context, r *round) (err error) {
	store, clock, err := r.inProcess(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	rules := downKind.Rules()
	random := rand.New(rand.NewPCG(r.seed, 10))
	began, sent, ended := clock.now(), 0, 0
	var perSecond []int
	attempts := map[queue.ID]int{}
	for up := false; !up || ended < sent; clock.pass(time.Second) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if up = clock.since(began.Add(outage)); !up {
			var batch []queue.Job
			for range arrivals {
				job, err := downKind.Job(ctx, lateArgs{sent})
				if err != nil {
					return err
				}
				batch, sent = append(batch, job), sent+1
			}
			if _, err := store.Engine.Enqueue(ctx, batch...); err != nil {
				return err
			}
		}
		n, done, err := second(ctx, store, rules, random, clock, up, attempts)
		if err != nil {
			return err
		}
		ended += done
		if !up {
			perSecond = append(perSecond, n)
		}
		if clock.since(began.Add(24 * time.Hour)) {
			r.broke("%d of %d jobs have not ended a day after the dependency was back", sent-ended, sent)
			break
		}
	}
	all, peak := 0, 0
	for _, n := range perSecond {
		all, peak = all+n, max(peak, n)
	}
	mean := float64(all) / float64(len(perSecond))
	most := retries(rules.BackoffBase, rules.BackoffLimit) + 1
	for id, n := range attempts {
		if n > most+1 {
			r.broke("job %s was tried %d times; the backoff allows %d in an outage of %s", id, n, most, outage)
		}
	}
	if float64(peak) > peakOverMean*mean {
		r.broke("at most %d attempts a second, %.1f in the mean", peak, mean)
	}
	r.found.Jobs, r.found.Starts = sent, all
	r.note("%d jobs in an outage of %s: %d attempts, at most %d of one job; %d in the worst second, %.1f in the mean: %.2f times as many", sent, outage, all, maxOf(attempts), peak, mean, float64(peak)/mean)
	return nil
}

// second works all that is due, as a worker would: while the dependency is down each attempt fails.
func second(ctx context.Context, store *campaign.Store, rules twice.Rules, random *rand.Rand, clock *clock, up bool, attempts map[queue.ID]int) (n, done int, err error) {
	for {
		leases, err := store.Engine.Claim(ctx, queue.Claim{ID: queue.NewClaimID(), Worker: "prove", Queues: []string{"prove"}, Kinds: []string{rules.Kind}, Max: 500, TTL: time.Minute})
		if err != nil || len(leases) == 0 {
			return n, done, err
		}
		ends := make([]queue.Settlement, len(leases))
		for i, l := range leases {
			end := worker.Ending{Outcome: queue.OutcomeFailed, Error: "the dependency is down"}
			if up {
				end = worker.Ending{Outcome: queue.OutcomeDone}
			}
			ends[i] = worker.Decide(l, end, rules, clock.now(), random.Float64())
			if !up {
				attempts[l.Job.ID]++
			}
			if ends[i].State.Ended() {
				done++
			}
		}
		n += len(leases)
		errs, err := store.Engine.Settle(ctx, ends...)
		if err = errors.Join(append(errs, err)...); err != nil {
			return n, done, err
		}
	}
}

// retries is how often a job can be tried again in an outage, where every backoff is as short as it may be.
func retries(base, limit time.Duration) (n int) {
	for so := time.Duration(0); ; n++ {
		if so += worker.Backoff(n+1, base, limit, 0); so > outage {
			return n
		}
	}
}

func maxOf(counts map[queue.ID]int) (most int) {
	for _, n := range counts {
		most = max(most, n)
	}
	return most
}
