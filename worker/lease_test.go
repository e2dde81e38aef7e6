package worker_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

func TestHeartbeatsKeepALongRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		long := twice.Define("test.plain", twice.Policy[args]{Key: key, Timeout: time.Hour})
		s.startOn(s.worker(nil, worker.Config{Lease: 3 * time.Second}), long, func(ctx context.Context, _ twice.Job[args]) error {
			time.Sleep(30 * time.Minute)
			return context.Cause(ctx)
		})
		id := s.enqueue(long, 1)[0]
		time.Sleep(31 * time.Minute)
		s.want(id, queue.Done, queue.Counts{})
		s.stop()
	})
}

func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		var causes []error
		s.start(worker.Config{}, func(ctx context.Context, _ twice.Job[args]) error {
			<-ctx.Done()
			causes = append(causes, context.Cause(ctx))
			if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
				t.Errorf("ctx.Err: %v", ctx.Err())
			}
			return errors.New("gave up")
		})
		id := s.enqueue(plain, 1)[0]
		receipt, err := plain.Enqueue(t.Context(), s.engine, args{2}, twice.Within(2*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		for _, id := range []queue.ID{id, receipt.ID} {
			rec := s.want(id, queue.Dead, queue.Counts{Failures: 3})
			for _, a := range rec.Attempts {
				if a.Outcome != queue.OutcomeTimedOut || !strings.Contains(a.Error, "timed out after") || !strings.Contains(a.Error, "gave up") {
					t.Errorf("attempt %+v", a)
				}
			}
		}
		s.stop()
		var late *worker.TimeoutError
		if len(causes) != 6 || !errors.As(causes[0], &late) || late.After != 2*time.Second {
			t.Errorf("causes %v", causes)
		}
	})
}

// Case 7: a cancel ends the handler's context with its cause, and beats the retry.
func TestCase07CancelBeatsRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		var cause error
		s.start(worker.Config{}, func(ctx context.Context, _ twice.Job[args]) error {
			<-ctx.Done()
			cause = context.Cause(ctx)
			return errors.New("no")
		})
		id := s.enqueue(plain, 1)[0]
		time.Sleep(time.Second)
		errs, err := s.engine.Cancel(t.Context(), queue.Actor{Name: "ann", Why: "test"}, queue.Cut{ID: id})
		if err != nil || errs[0] != nil {
			t.Fatal(err, errs)
		}
		time.Sleep(10 * time.Second) // a third of the lease
		if s.count(worker.LeaseLost) != 1 {
			t.Error("the handler was not told within a beat")
		}
		time.Sleep(time.Hour)
		s.stop()
		if !errors.Is(cause, queue.ErrLeaseLost) || !errors.Is(cause, queue.ErrCancelled) {
			t.Errorf("cause %v", cause)
		}
		s.want(id, queue.Cancelled, queue.Counts{})
		if e := s.last(worker.LeaseLost); e.Outcome != queue.OutcomeCancelled || s.count(worker.LeaseLost) != 1 {
			t.Errorf("%+v", e)
		}
	})
}

// Cases 1 and 2: a handler whose lease was replaced ends with that cause, and its word changes nothing.
func TestCase01ZombieIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		cut := &faulty{Engine: s.engine}
		w := s.worker(cut, worker.Config{Lease: 30 * time.Second})
		var cause error
		var runs atomic.Int32
		s.startOn(w, plain, func(ctx context.Context, _ twice.Job[args]) error {
			if runs.Add(1) > 1 {
				return nil
			}
			select {
			case <-ctx.Done():
			case <-time.After(50 * time.Second):
				t.Error("not told")
			}
			cause = context.Cause(ctx)
			return nil
		})
		id := s.enqueue(plain, 1)[0]
		time.Sleep(time.Second)
		cut.failExtend.Store(true) // its heartbeats are lost; others reach the engine, or the lease would be prolonged
		for range 35 {
			time.Sleep(time.Second)
			_ = s.engine.Announce(t.Context(), queue.Worker{Name: "other"}, time.Minute)
		}
		cut.failExtend.Store(false)
		time.Sleep(time.Minute)
		s.stop()
		if !errors.Is(cause, queue.ErrLeaseLost) {
			t.Errorf("cause %v", cause)
		}
		if rec := s.record(id); rec.State != queue.Done {
			t.Errorf("%s %+v", rec.State, rec.Counts)
		}
	})
}

// One request id and one trace id are in the handler's context, its logger, and the jobs made there.
func TestHandlerContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		trace := "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
		ctx := twice.WithTraceparent(twice.WithRequestID(t.Context(), "req-1\nforged"), trace)
		var child queue.Job
		s.start(worker.Config{Name: "w1"}, func(ctx context.Context, job twice.Job[args]) error {
			twice.Logger(ctx).With("x", 1).Info("in handler")
			twice.Logger(ctx).Info("in handler")
			var err error
			child, err = plain.Job(ctx, args{2})
			if d, ok := ctx.Deadline(); !ok || time.Until(d) != time.Minute {
				t.Errorf("deadline %s", time.Until(d))
			}
			return err
		})
		receipt, err := plain.Enqueue(ctx, s.engine, args{1})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		s.stop()
		if child.Headers[queue.HeaderRequest] != "req-1\nforged" || child.Headers[queue.HeaderTrace] != trace || child.Parent != receipt.ID {
			t.Errorf("child %+v", child)
		}
		seen := 0
		for line := range strings.Lines(s.logged()) {
			var rec map[string]any
			if err := json.Unmarshal([]byte(line), &rec); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			if rec["msg"] != "in handler" && rec["msg"] != "attempt ended" {
				continue
			}
			seen++
			for name, want := range map[string]any{"request_id": "req-1 forged", "trace_id": "0af7651916cd43dd8448eb211c80319c",
				"job_id": receipt.ID.String(), "kind": "test.plain", "queue": "default", "worker": "w1", "attempt": 1.0} {
				if rec[name] != want {
					t.Errorf("%s is %v, want %v, in %s", name, rec[name], want, line)
				}
			}
		}
		if seen != 3 {
			t.Errorf("%d lines:\n%s", seen, s.logged())
		}
	})
}
