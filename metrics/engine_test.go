package metrics_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/metrics"
	"github.com/twicehq/twice/queue"
)

var globals = func() (names []string) {
	for _, d := range metrics.All() {
		if d.Global {
			names = append(names, d.Name)
		}
	}
	return names
}()

// Depth by state, and the age of the oldest due job: one that waits for its time has none.
func TestRead_depths(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := newEngine(t)
		m := metrics.New(metrics.Config{Engine: engine})
		for n := range 3 {
			if _, err := kind.Enqueue(t.Context(), engine, args{n}, twice.In(time.Duration(n)*time.Hour)); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(90 * time.Minute)
		families := m.Read(t.Context())
		want(t, text(families, "twice_up", "twice_queue_jobs", "twice_queue_oldest_age_seconds", "twice_in_doubt", "twice_queue_verdict"), `up[] 1
			queue_jobs[q cancelled] 0 queue_jobs[q dead] 0 queue_jobs[q done] 0 queue_jobs[q queued] 3 queue_jobs[q running] 0
			queue_oldest_age_seconds[q] 5400
			in_doubt[] 0`)
	})
}

// While the engine does not answer, nothing is said of it but that: an absent number is no 0. It answers again: so is it
// said, within 5 s.
func TestRead_broker_down(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := &flaky{Engine: newEngine(t)}
		if _, err := kind.Enqueue(t.Context(), engine, args{1}); err != nil {
			t.Fatal(err)
		}
		m := metrics.New(metrics.Config{Engine: engine})
		m.JudgeBy(func(context.Context) ([]metrics.Judgement, error) {
			if engine.down.Load() {
				return nil, queue.ErrUnavailable
			}
			return []metrics.Judgement{{Queue: "q", Verdict: "healthy", SlotsNeeded: 3}}, nil
		})
		for _, down := range []bool{false, true, false} {
			engine.down.Store(down)
			time.Sleep(6 * time.Second)
			families := m.Read(t.Context())
			if there := text(families, globals...) != ""; there == down {
				t.Errorf("down is %v: %s", down, text(families, globals...))
			}
			up := "1"
			if down {
				up = "0"
			}
			want(t, text(families, "twice_up"), "up[] "+up)
			want(t, text(families, "twice_leases_lost_total"), "leases_lost_total[] 0") // what is counted here is known
		}
		// A shutdown: the engine is closed under the scrape.
		if err := engine.Close(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(6 * time.Second)
		want(t, text(m.Read(t.Context()), "twice_up", "twice_queue_jobs"), "up[] 0")
	})
}

// A call that does not return though its context has ended holds up each reading for the patience at most, and
// later ones not at all; no second one is made meanwhile.
func TestRead_engine_hangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := &flaky{Engine: newEngine(t), thaw: make(chan struct{})}
		m := metrics.New(metrics.Config{Engine: engine, Patience: 2 * time.Second})
		want(t, text(m.Read(t.Context()), "twice_up"), "up[] 1")
		engine.hang.Store(true)
		time.Sleep(6 * time.Second)
		before := engine.calls.Load()
		for n := range 20 {
			began := time.Now()
			families := m.Read(t.Context())
			if took := time.Since(began); took > 2*time.Second || (n > 0 && took > 0) {
				t.Errorf("reading %d took %s", n, took)
			}
			want(t, text(families, "twice_up")+text(families, globals...), "up[] 0")
			time.Sleep(10 * time.Second)
		}
		if n := engine.calls.Load() - before; n != 1 {
			t.Errorf("%d calls while one hangs", n)
		}
		engine.hang.Store(false)
		close(engine.thaw)
		time.Sleep(6 * time.Second)
		want(t, text(m.Read(t.Context()), "twice_up"), "up[] 1")
	})
}

// A scrape that is given up returns at once, and leaves the reading to the next.
func TestRead_given_up(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := &flaky{Engine: newEngine(t), thaw: make(chan struct{})}
		engine.hang.Store(true)
		m := metrics.New(metrics.Config{Engine: engine})
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		began := time.Now()
		want(t, text(m.Read(ctx), "twice_up"), "up[] 0")
		if took := time.Since(began); took != 100*time.Millisecond {
			t.Errorf("took %s", took)
		}
		close(engine.thaw)
		synctest.Wait()
		want(t, text(m.Read(t.Context()), "twice_up"), "up[] 1")
		if n := engine.calls.Load(); n != 1 {
			t.Errorf("%d calls", n)
		}
	})
}

// However often it is scraped, the engine is asked once in 5 s.
func TestRead_cadence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := &flaky{Engine: newEngine(t)}
		m := metrics.New(metrics.Config{Engine: engine})
		for range 600 {
			m.Read(t.Context())
			time.Sleep(100 * time.Millisecond)
		}
		if n := engine.calls.Load(); n < 11 || n > 13 {
			t.Errorf("%d calls in a minute", n)
		}
	})
}
