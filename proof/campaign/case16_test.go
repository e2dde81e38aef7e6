package campaign_test

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/proof/campaign"
	"github.com/twicehq/twice/proof/ground"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

var backlog = flag.Int("backlog", 0, "ids in TestCase16ConsumersDown, which in the case are 1000000; 0: a number for CI")

// Case 16: a large number of ids enqueued by several producers with nobody consuming, many of them sent
// again: each is stored once, depth and oldest age are right, the cost of an enqueue does not grow; then
// all is drained.
func TestCase16ConsumersDown(t *testing.T) {
	const producers, batch = 4, 500
	cfg := world(t, campaign.Config{})
	ctx, cancel := context.WithTimeout(t.Context(), patience())
	defer cancel()
	store, err := ground.Openers["sqlite"](ctx, cfg.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	n := or(*backlog, 50_000) / (producers * batch) * producers * batch
	kind := twice.Define("campaign.waits", twice.Policy[campaign.Args]{Key: func(a campaign.Args) string { return fmt.Sprint(a.N) }, Queue: campaign.Queue})
	send := func(numbers []int) (accepted, duplicates int) {
		jobs := make([]queue.Job, len(numbers))
		for i, n := range numbers {
			job, err := kind.Job(ctx, campaign.Args{N: n})
			if err != nil {
				t.Error(err)
			}
			jobs[i] = job
		}
		receipts, err := store.Engine.Enqueue(ctx, jobs...)
		if err != nil {
			t.Error(err)
		}
		for _, r := range receipts {
			switch r.Status {
			case queue.Accepted:
				accepted++
			case queue.Duplicate:
				duplicates++
			}
		}
		return accepted, duplicates
	}
	before := time.Now().Add(-time.Millisecond)
	var accepted, duplicates, again atomic.Int64
	costs := make([][]time.Duration, producers)
	var all sync.WaitGroup
	for p := range producers {
		all.Go(func() {
			random := rand.New(rand.NewPCG(cfg.Seed, uint64(p)))
			count := func(a, d int) { accepted.Add(int64(a)); duplicates.Add(int64(d)) }
			for from := p * batch; from < n; from += producers * batch {
				numbers := make([]int, batch)
				for i := range numbers {
					numbers[i] = from + i
				}
				start := time.Now()
				count(send(numbers))
				costs[p] = append(costs[p], time.Since(start))
				repeats := numbers[:random.IntN(batch/4)]
				for i := range repeats { // of what this producer has sent so far
					repeats[i] = (random.IntN(from/(producers*batch)+1)*producers+p)*batch + random.IntN(batch)
				}
				again.Add(int64(len(repeats)))
				if len(repeats) > 0 {
					count(send(repeats))
				}
			}
		})
	}
	all.Wait() // each call ends with ctx
	took := time.Since(before)
	if accepted.Load() != int64(n) || duplicates.Load() != again.Load() {
		t.Errorf("%d accepted of %d, %d duplicates of %d", accepted.Load(), n, duplicates.Load(), again.Load())
	}
	look, _ := queue.As[queue.Inspector](store.Engine)
	depths, err := look.Depths(ctx, campaign.Queue)
	if err != nil {
		t.Fatal(err)
	}
	if d := depths[0]; d.Queued != int64(n) || d.Accepted != int64(n) || d.Ready.N != min(n, queue.MaxSeen) || d.Ready.More != (n > queue.MaxSeen) ||
		d.OldestDue.Before(before) || d.OldestDue.After(before.Add(took/2)) {
		t.Errorf("%+v of %d since %s", d, n, before)
	}
	first, last := middle(costs, 0, 4), middle(costs, 3, 4)
	t.Logf("%d ids and %d repeats in %s; a batch of %d took %s at first, %s at last", n, again.Load(), took.Round(time.Millisecond), batch, first, last)
	if last > 5*first+10*time.Millisecond {
		t.Errorf("the cost of a batch grew from %s to %s", first, last)
	}
	drainOnce(t, store, kind, n)
}

// middle gives the median cost of one part of so many.
func middle(costs [][]time.Duration, part, of int) time.Duration {
	var all []time.Duration
	for _, c := range costs {
		all = append(all, c[len(c)*part/of:max(1, len(c)*(part+1)/of)]...)
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// drainOnce runs a worker until every job has been run, each once.
func drainOnce(t *testing.T, store *campaign.Store, kind *twice.Kind[campaign.Args], n int) {
	t.Helper()
	runs := make([]atomic.Int32, n)
	var done atomic.Int64
	ctx, cancel := context.WithTimeout(t.Context(), patience())
	defer cancel()
	w := worker.New(store.Engine, worker.Config{Concurrency: 500, Logger: slog.New(slog.DiscardHandler)})
	worker.Handle(w, kind, func(_ context.Context, job twice.Job[campaign.Args]) error {
		if runs[job.Args.N].Add(1) == 1 && done.Add(1) == int64(n) {
			cancel()
		}
		return nil
	})
	start := time.Now()
	if err := w.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if d := done.Load(); d != int64(n) {
		t.Fatalf("never in %s: all of %d jobs are done; %d are", patience(), n, d)
	}
	for i := range runs {
		if r := runs[i].Load(); r != 1 {
			t.Fatalf("job %d ran %d times", i, r)
		}
	}
	auditor, _ := queue.As[queue.Auditor](store.Engine)
	books, err := auditor.Audit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if b := books[0]; b.Found.Done != int64(n) || b.Missing() != 0 {
		t.Errorf("%+v, missing %d", b, b.Missing())
	}
	t.Logf("drained in %s", time.Since(start).Round(time.Millisecond))
}
