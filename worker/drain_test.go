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

var long = twice.Define("test.long", twice.Policy[args]{Key: key, Timeout: time.Hour})

// Case 6: five long jobs, stopped with a grace shorter than their run.
func TestCase06Deploy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		w := s.worker(nil, worker.Config{Concurrency: 5, Grace: 10 * time.Second})
		release := make(chan struct{})
		s.startOn(w, long, func(ctx context.Context, job twice.Job[args]) error {
			switch job.Args.N {
			case 0: // ends within the grace
				time.Sleep(6 * time.Second)
				return nil
			case 1: // fails within the grace
				time.Sleep(6 * time.Second)
				return errors.New("no")
			case 2: // finishes although its context has ended
				<-ctx.Done()
				return nil
			case 3:
				<-ctx.Done()
				if !errors.Is(context.Cause(ctx), worker.ErrShutdown) {
					t.Errorf("cause %v", context.Cause(ctx))
				}
				return ctx.Err()
			}
			<-release // deaf
			return nil
		})
		ids := s.enqueue(long, 0, 1, 2, 3, 4, 5, 6)
		time.Sleep(time.Second)
		began := time.Now()
		s.stop()
		if took := time.Since(began); took < 12*time.Second || took > 14*time.Second {
			t.Errorf("Run returned %s after the word, the grace is 10s and the margin 2s", took)
		}
		s.want(ids[0], queue.Done, queue.Counts{})
		s.want(ids[1], queue.Queued, queue.Counts{Failures: 1})
		s.want(ids[2], queue.Done, queue.Counts{})
		for _, id := range ids[3:5] {
			rec := s.want(id, queue.Queued, queue.Counts{Interruptions: 1})
			if rec.RunAt.After(time.Now()) || rec.Attempts[0].Outcome != queue.OutcomeInterrupted {
				t.Errorf("runs at %s, %+v", rec.RunAt, rec.Attempts)
			}
		}
		for _, id := range ids[5:] { // never claimed
			s.want(id, queue.Queued, queue.Counts{})
		}
		close(release)
		synctest.Wait()
		s.want(ids[4], queue.Queued, queue.Counts{Interruptions: 1})
	})
}

func TestHeartbeatsGoOnWhileDraining(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		w := s.worker(nil, worker.Config{Lease: 3 * time.Second, Grace: time.Minute})
		s.startOn(w, long, func(ctx context.Context, _ twice.Job[args]) error {
			time.Sleep(50 * time.Second)
			return context.Cause(ctx)
		})
		id := s.enqueue(long, 1)[0]
		time.Sleep(time.Second)
		began := time.Now()
		s.stop()
		if took := time.Since(began); took > 50*time.Second {
			t.Errorf("took %s", took)
		}
		s.want(id, queue.Done, queue.Counts{})
	})
}

func TestIdleWorkerStopsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		s.start(worker.Config{}, func(context.Context, twice.Job[args]) error { return nil })
		time.Sleep(3 * time.Second)
		began := time.Now()
		s.stop()
		if took := time.Since(began); took > 0 {
			t.Errorf("took %s", took)
		}
		if h := s.w.Health(); h.Running {
			t.Errorf("%+v", h)
		}
	})
}

// A handler deaf to its context loses its slot after the margin; its attempt is a timeout; the others go on.
func TestDeafHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		release := make(chan struct{})
		var ran atomic.Int32
		s.start(worker.Config{Concurrency: 3}, func(_ context.Context, job twice.Job[args]) error {
			if job.Args.N == 0 && ran.Add(1) == 1 {
				<-release
				return twice.Bury(errors.New("too late to matter"))
			}
			return nil
		})
		id := s.enqueue(plain, 0)[0]
		time.Sleep(time.Minute + 4*time.Second)
		if h := s.w.Health(); h.Busy != 1 || h.Deaf != 0 {
			t.Errorf("before the margin: %+v", h)
		}
		time.Sleep(3 * time.Second)
		if h := s.w.Health(); h.Deaf != 1 {
			t.Errorf("after the margin: %+v", h)
		}
		time.Sleep(10 * time.Second)
		rec := s.want(id, queue.Done, queue.Counts{})
		if rec.Token != 2 {
			t.Errorf("%d attempts", rec.Token)
		}
		if e := s.last(worker.Deaf); e.Outcome != queue.OutcomeTimedOut {
			t.Errorf("%+v", e)
		}
		close(release)
		time.Sleep(time.Second)
		if h := s.w.Health(); h.Deaf != 0 || s.count(worker.Heard) != 1 {
			t.Errorf("after it returned: %+v", h)
		}
		s.stop()
	})
}

func TestHalfOfTheSlotsDeafEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		release := make(chan struct{})
		s.start(worker.Config{Concurrency: 4}, func(_ context.Context, job twice.Job[args]) error {
			if job.Args.N < 2 {
				<-release
			}
			return nil
		})
		ids := s.enqueue(plain, 0, 1, 2)
		err := <-s.ended
		if !errors.Is(err, worker.ErrDeaf) {
			t.Errorf("Run: %v", err)
		}
		s.want(ids[0], queue.Queued, queue.Counts{Failures: 1})
		s.want(ids[2], queue.Done, queue.Counts{})
		close(release)
	})
}

func TestDeafAfterALostLeaseIsNotSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		release := make(chan struct{})
		s.start(worker.Config{Concurrency: 10}, func(context.Context, twice.Job[args]) error {
			<-release
			return nil
		})
		id := s.enqueue(plain, 1)[0]
		time.Sleep(time.Second)
		if _, err := s.engine.Cancel(t.Context(), queue.Actor{Name: "ann", Why: "test"}, queue.Cut{ID: id}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Second)
		if e := s.last(worker.Deaf); e.Settlement != nil || e.Err == nil {
			t.Errorf("%+v", e)
		}
		s.want(id, queue.Cancelled, queue.Counts{})
		close(release)
		s.stop()
	})
}
