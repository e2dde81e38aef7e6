package metrics_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twicehq/twice/metrics"
	"github.com/twicehq/twice/queue"
)

// Queues beyond the cap are one: their jobs are added up, and their oldest age is shown. A queue that was shown stays.
func TestRead_many_queues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := &flaky{Engine: newEngine(t)}
		now := time.Now()
		engine.depths = []queue.Depth{{Queue: "zz", Accepted: 1, Queued: 1, AsOf: now}}
		m := metrics.New(metrics.Config{Engine: engine, MaxSeries: 3})
		m.Read(t.Context())
		for i := range 100_000 {
			engine.depths = append(engine.depths, queue.Depth{Queue: fmt.Sprint("a", i), Accepted: 2, Queued: 2, AsOf: now, OldestDue: now.Add(-time.Duration(i) * time.Second)})
		}
		time.Sleep(6 * time.Second)
		families := m.Read(t.Context())
		want(t, text(families, "twice_queue_oldest_age_seconds", "twice_series_capped_total"), `queue_oldest_age_seconds[a0] 0 queue_oldest_age_seconds[a1] 1
			queue_oldest_age_seconds[other] 99999 queue_oldest_age_seconds[zz] 0 series_capped_total[] 99998`)
		if got := text(families, "twice_queue_jobs"); !strings.Contains(got, "queue_jobs[other queued] 199996\n") || strings.Count(got, "\n") != 20 {
			t.Errorf("%s", got)
		}
	})
}

// Counts that do not add up are a broken invariant: counted once as it begins, not at every reading.
func TestRead_counts_broken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := &flaky{Engine: newEngine(t), depths: []queue.Depth{{Queue: "q", Accepted: 3, Queued: 3}}}
		m := metrics.New(metrics.Config{Engine: engine})
		m.InvariantBroken("no such thing")
		for i, c := range []struct{ accepted, broken int64 }{{3, 0}, {4, 1}, {4, 1}, {3, 1}, {5, 2}} {
			engine.depths = []queue.Depth{{Queue: "q", Accepted: c.accepted, Queued: 3}}
			time.Sleep(6 * time.Second)
			want(t, text(m.Read(t.Context()), "twice_invariant_broken_total"), fmt.Sprintf(`invariant_broken_total[audit] 0 invariant_broken_total[counts] %d
				invariant_broken_total[effect] 0 invariant_broken_total[fence] 0 invariant_broken_total[other] 1`, c.broken))
			if t.Failed() {
				t.Fatal("at", i)
			}
		}
	})
}

// Verdicts come from the function given: what is no name, or doubled, is left out; a panic is no answer.
func TestRead_verdicts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := metrics.New(metrics.Config{})
		verdicts := func() string {
			return text(m.Read(t.Context()), "twice_queue_verdict", "twice_slots_needed", "twice_up", "twice_queue_jobs")
		}
		want(t, verdicts(), "")
		m.JudgeBy(func(context.Context) ([]metrics.Judgement, error) {
			return []metrics.Judgement{{"b", "healthy", 4}, {"a", "no_consumer", -1}, {"a", "idle", 0}, {"\xff", "idle", 0}, {"c", "no\nverdict", 0}}, nil
		})
		want(t, verdicts(), `queue_verdict[a no_consumer] 1 queue_verdict[b healthy] 1 slots_needed[b] 4`)
		m.JudgeBy(func(context.Context) ([]metrics.Judgement, error) { panic("no") })
		want(t, verdicts(), "")
		m.JudgeBy(nil)
		want(t, verdicts(), "")
	})
}
