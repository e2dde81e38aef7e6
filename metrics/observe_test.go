package metrics_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/twicehq/twice/metrics"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

// A successful attempt costs no memory once its kind is known. The control: the first one does.
func TestObserve_allocates_nothing(t *testing.T) {
	m := metrics.New(metrics.Config{})
	ctx := t.Context()
	attempt := func(kind string) func() {
		started, ended, settled := event(worker.Started, "q", kind, 0), event(worker.Ended, "q", kind, queue.OutcomeDone), event(worker.Settled, "q", kind, queue.OutcomeDone)
		return func() {
			m.Observe(ctx, started)
			m.Observe(ctx, ended)
			m.Observe(ctx, settled)
		}
	}
	if n := testing.AllocsPerRun(1000, attempt("k")); n != 0 {
		t.Errorf("%v allocations an attempt", n)
	}
	i := 0
	if n := testing.AllocsPerRun(10, func() { i++; attempt(fmt.Sprint("k", i))() }); n < 5 {
		t.Errorf("the first of a kind allocates %v: the test measures nothing", n)
	}
}

// A million names cost no more than the cap: the rest is one series, and counted.
func TestObserve_bounded(t *testing.T) {
	m := metrics.New(metrics.Config{MaxSeries: 20})
	bad := strings.Repeat("x", 1<<20)
	m.Enqueued("q\n{}\xff", bad, queue.Refused) // no name, though there is room
	const names = 1_000_000
	for i := range names {
		e := worker.Event{What: worker.Settled, Outcome: queue.OutcomeDone, Lease: &queue.Lease{Job: queue.Job{Queue: "q", Kind: fmt.Sprint("k", i)}}}
		m.Observe(context.Background(), e)
		if i < 1000 {
			m.Enqueued(fmt.Sprint("q", i), "k", queue.Accepted)
		}
	}
	families := m.Read(t.Context())
	total := func(name string) (sum, other float64, series int) {
		for _, p := range metrics.Find(families, name).Points {
			sum += p.Value
			if p.Labels[0] == metrics.Other && p.Labels[1] == metrics.Other {
				other += p.Value
			}
			for _, l := range p.Labels {
				if len(l) > queue.MaxName {
					t.Errorf("a label of %d bytes", len(l))
				}
			}
		}
		return sum, other, len(metrics.Find(families, name).Points)
	}
	if sum, other, series := total("twice_jobs_ended_total"); sum != names || other != names-20 || series != 21 {
		t.Errorf("ended: %v of which %v other, %d series", sum, other, series)
	}
	if sum, other, series := total("twice_enqueued_total"); sum != 1001 || other != 981 || series != 22 {
		t.Errorf("enqueued: %v of which %v other, %d series", sum, other, series)
	}
	want(t, text(families, "twice_series_capped_total"), fmt.Sprintf("series_capped_total[] %v", float64(names-20+981)))
}

// What is counted at once from many goroutines while it is read adds up.
func TestObserve_concurrently(t *testing.T) {
	m := metrics.New(metrics.Config{MaxSeries: 8})
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 2000 {
				k := fmt.Sprint("k", (g+i)%12)
				m.Observe(t.Context(), event(worker.Started, "q", k, 0))
				m.Observe(t.Context(), event(worker.Ended, "q", k, queue.OutcomeDone))
				m.Observe(t.Context(), event(worker.Settled, "q", k, queue.OutcomeDone))
				if i%500 == 0 {
					m.Read(t.Context())
				}
			}
		})
	}
	all.Wait()
	families := m.Read(t.Context())
	for _, name := range []string{"twice_jobs_ended_total", "twice_job_wait_seconds", "twice_job_run_seconds"} {
		sum := 0.0
		points := metrics.Find(families, name).Points
		for _, p := range points {
			sum += p.Value
		}
		if sum != 16000 || len(points) != 9 {
			t.Errorf("%s: %v in %d series", name, sum, len(points))
		}
	}
}

func BenchmarkObserve(b *testing.B) {
	m := metrics.New(metrics.Config{})
	started, ended, settled := event(worker.Started, "q", "k", 0), event(worker.Ended, "q", "k", queue.OutcomeDone), event(worker.Settled, "q", "k", queue.OutcomeDone)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		ctx := context.Background()
		for pb.Next() {
			m.Observe(ctx, started)
			m.Observe(ctx, ended)
			m.Observe(ctx, settled)
		}
	})
}
