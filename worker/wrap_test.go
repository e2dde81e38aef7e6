package worker_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

type wrapKey struct{}

// Wraps run around the handler, the first outermost, with its context; what they answer is the answer.
func TestWraps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		var order []string
		wrap := func(name string) worker.Wrap {
			return func(run worker.Run) worker.Run {
				return func(ctx context.Context, lease queue.Lease) error {
					order = append(order, name)
					before, _ := ctx.Value(wrapKey{}).(string)
					err := run(context.WithValue(ctx, wrapKey{}, before+name), lease)
					order = append(order, name+" "+lease.Job.Key)
					return err
				}
			}
		}
		s.start(worker.Config{Concurrency: 1, Wraps: []worker.Wrap{wrap("a"), wrap("b")}}, func(ctx context.Context, job twice.Job[args]) error {
			order = append(order, "handler "+ctx.Value(wrapKey{}).(string))
			if _, ok := queue.HoldingFrom(ctx); !ok {
				t.Error("the handler has lost its lease")
			}
			return twice.Bury(errors.New("no"))
		})
		id := s.enqueue(plain, 1)[0]
		time.Sleep(time.Second)
		s.stop()
		if want := []string{"a", "b", "handler ab", "b 1", "a 1"}; !slices.Equal(order, want) {
			t.Errorf("%q", order)
		}
		if rec := s.record(id); rec.Reason != queue.ReasonBuried {
			t.Errorf("%s %s", rec.State, rec.Reason)
		}
	})
}

// A wrap that panics is a handler that panics: the attempt is settled, and the worker goes on.
func TestWraps_panic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		s.start(worker.Config{Wraps: []worker.Wrap{func(worker.Run) worker.Run {
			return func(context.Context, queue.Lease) error { panic("in the wrap") }
		}}}, func(context.Context, twice.Job[args]) error { return nil })
		id := s.enqueue(plain, 1)[0]
		time.Sleep(time.Hour)
		s.stop()
		if rec := s.record(id); rec.State != queue.Dead || len(rec.Attempts) != 3 || rec.Attempts[0].Outcome != queue.OutcomePanicked {
			t.Errorf("%s %+v", rec.State, rec.Attempts)
		}
	})
}

func TestWraps_nil(t *testing.T) {
	s := newScene(t)
	w := s.worker(nil, worker.Config{Wraps: []worker.Wrap{nil}})
	worker.Handle(w, plain, func(context.Context, twice.Job[args]) error { return nil })
	if err := w.Run(t.Context()); !errors.Is(err, queue.ErrInvalid) || !strings.Contains(err.Error(), "one of its Wraps is nil") {
		t.Error(err)
	}
}
