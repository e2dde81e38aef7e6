package worker_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

func TestConsumptionResumesWithin5s(t *testing.T) {
	for _, bare := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := newScene(t)
			f := &faulty{Engine: s.engine}
			var engine queue.Engine = f
			if bare {
				engine = plainEngine{f}
			}
			s.startOn(s.worker(engine, worker.Config{Concurrency: 2}), plain, func(context.Context, twice.Job[args]) error {
				time.Sleep(5 * time.Second)
				return nil
			})
			first := s.enqueue(plain, 1)[0]
			time.Sleep(time.Second)
			f.down.Store(true)
			time.Sleep(10 * time.Minute)
			if h := s.w.Health(); h.Stalled || !h.Live() || h.PollAge(time.Now()) < 9*time.Minute {
				t.Errorf("while it was down: %+v", h)
			}
			second := s.enqueue(plain, 2)[0]
			f.down.Store(false)
			time.Sleep(5 * time.Second)
			if rec := s.record(second); rec.State != queue.Running {
				t.Errorf("the next job is %s 5 s after the return", rec.State)
			}
			time.Sleep(6 * time.Second)
			s.want(first, queue.Done, queue.Counts{})
			s.want(second, queue.Done, queue.Counts{})
			if n := s.count(worker.EngineError); n < 100 || n > 2000 {
				t.Errorf("%d errors told in 10 min", n)
			}
			s.stop()
		})
	}
}

// Case 19: the replies of claims and settlements are lost after the engine acted.
func TestCase19LostReplies(t *testing.T) {
	for _, bare := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := newScene(t)
			f := &faulty{Engine: s.engine}
			var engine queue.Engine = f
			if bare {
				engine = plainEngine{f}
			}
			var runs atomic.Int32
			s.startOn(s.worker(engine, worker.Config{Concurrency: 4}), plain, func(context.Context, twice.Job[args]) error {
				runs.Add(1)
				time.Sleep(100 * time.Millisecond)
				return nil
			})
			var ids []queue.ID
			for n := range 40 {
				f.lose.Store(2)
				ids = append(ids, s.enqueue(plain, n)...)
				time.Sleep(700 * time.Millisecond)
			}
			time.Sleep(10 * time.Minute)
			for _, id := range ids {
				if rec := s.record(id); rec.State != queue.Done || rec.Token != 1 {
					t.Errorf("%s at token %d, %+v", rec.State, rec.Token, rec.Counts)
				}
			}
			if runs.Load() != 40 {
				t.Errorf("%d runs of 40 jobs", runs.Load())
			}
			s.stop()
		})
	}
}

func TestARepeatedClaimIsTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		f := &faulty{Engine: s.engine}
		s.enqueue(plain, 1)
		f.lose.Store(3)
		s.startOn(s.worker(f, worker.Config{Concurrency: 4}), plain, func(context.Context, twice.Job[args]) error { return nil })
		time.Sleep(2 * time.Second)
		s.stop()
		f.mu.Lock()
		defer f.mu.Unlock()
		for i := 1; i < 4; i++ {
			if f.claims[i] != f.claims[0] || f.asked[i] != f.asked[0] {
				t.Errorf("claim %d is another", i)
			}
		}
		if f.claims[4] == f.claims[0] {
			t.Error("a new claim has the old id")
		}
	})
}

func TestEngineClosedEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		s.start(worker.Config{}, func(context.Context, twice.Job[args]) error { return nil })
		time.Sleep(time.Second)
		if err := s.engine.Close(); err != nil {
			t.Fatal(err)
		}
		if err := <-s.ended; !errors.Is(err, queue.ErrClosed) {
			t.Errorf("Run: %v", err)
		}
	})
}

func TestPresenceAndPruning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		s.start(worker.Config{Name: "w1", Concurrency: 7}, func(ctx context.Context, job twice.Job[args]) error {
			if job.Args.N == 1 {
				<-ctx.Done()
			}
			return nil
		})
		ids := s.enqueue(plain, 0, 1)
		time.Sleep(6 * time.Second)
		workers, err := s.engine.Workers(t.Context())
		if err != nil || len(workers) != 1 {
			t.Fatal(workers, err)
		}
		if w := workers[0]; w.Name != "w1" || w.Slots != 7 || w.Busy != 1 || len(w.Running) != 1 || w.Running[0].Job != ids[1] || w.Silent {
			t.Errorf("%+v", w)
		}
		time.Sleep(7 * time.Hour)
		if _, err := s.engine.Job(t.Context(), ids[0]); !errors.Is(err, queue.ErrNotFound) {
			t.Errorf("not pruned: %v", err)
		}
		if s.count(worker.Pruned) == 0 {
			t.Error("pruning was not told")
		}
		s.stop()
		if workers, _ := s.engine.Workers(t.Context()); len(workers) != 0 {
			t.Errorf("still announced: %+v", workers)
		}
	})
}

// The watchdog tells of a claim loop that hangs in the engine, though its context has ended.
func TestWatchdog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		hang := &hanging{Engine: s.engine, release: make(chan struct{})}
		s.startOn(s.worker(hang, worker.Config{}), plain, func(context.Context, twice.Job[args]) error { return nil })
		time.Sleep(time.Minute)
		if h := s.w.Health(); !h.Stalled || h.Live() || s.count(worker.Stalled) != 1 {
			t.Errorf("%+v", h)
		}
		close(hang.release)
		time.Sleep(2 * time.Second)
		if h := s.w.Health(); h.Stalled || s.count(worker.Moving) != 1 {
			t.Errorf("%+v", h)
		}
		s.stop()
	})
}

// hanging is an engine whose claims hang, deaf to their context, until released.
type hanging struct {
	queue.Engine
	release chan struct{}
}

func (h *hanging) Claim(ctx context.Context, req queue.Claim) ([]queue.Lease, error) {
	if !req.Lone {
		<-h.release
	}
	return h.Engine.Claim(ctx, req)
}
