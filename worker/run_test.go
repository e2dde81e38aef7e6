package worker_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

func TestRunNamesEveryProblemAtOnce(t *testing.T) {
	s := newScene(t)
	w := worker.New(s.engine, worker.Config{Concurrency: -1, Lease: -time.Second, Grace: -1, Name: "a b", Queues: []string{"none"}})
	worker.Handle(w, plain, func(context.Context, twice.Job[args]) error { return nil })
	worker.Handle(w, plain, func(context.Context, twice.Job[args]) error { return nil })
	worker.Handle[args](w, nil, nil)
	err := w.Run(t.Context())
	if !errors.Is(err, queue.ErrInvalid) {
		t.Fatalf("Run: %v", err)
	}
	for _, want := range []string{"Concurrency is -1", "Lease is -1s", "Grace is -1ns", "worker \"a b\"", "queue none", "two handlers", "without its kind"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
	if err := worker.New(nil, worker.Config{}).Run(t.Context()); !errors.Is(err, queue.ErrInvalid) {
		t.Errorf("no engine: %v", err)
	}
}

func TestAnswers(t *testing.T) {
	for _, row := range []struct {
		name     string
		answer   func(attempt int) error
		state    queue.State
		reason   queue.Reason
		counts   queue.Counts
		outcomes []queue.Outcome
	}{
		{"nil is done", func(int) error { return nil }, queue.Done, "", queue.Counts{}, nil},
		{"errors are retried to the cap", func(int) error { return errors.New("no") }, queue.Dead, queue.ReasonFailures, queue.Counts{Failures: 3},
			[]queue.Outcome{queue.OutcomeFailed, queue.OutcomeFailed, queue.OutcomeFailed}},
		{"a retry may succeed", func(n int) error {
			if n < 3 {
				return errors.New("no")
			}
			return nil
		}, queue.Done, "", queue.Counts{}, nil},
		{"Bury ends it", func(int) error { return twice.Bury(errors.New("never")) }, queue.Dead, queue.ReasonBuried, queue.Counts{}, []queue.Outcome{queue.OutcomeBuried}},
		{"in doubt parks it", func(int) error { return errors.Join(errors.New("charge"), queue.ErrInDoubt) }, queue.Dead, queue.ReasonDoubt, queue.Counts{}, []queue.Outcome{queue.OutcomeBuried}},
		{"Snooze is no failure", func(n int) error {
			if n < 5 {
				return twice.Snooze(time.Minute)
			}
			return twice.Bury(nil)
		}, queue.Dead, queue.ReasonBuried, queue.Counts{Snoozes: 4},
			[]queue.Outcome{queue.OutcomeSnoozed, queue.OutcomeSnoozed, queue.OutcomeSnoozed, queue.OutcomeSnoozed, queue.OutcomeBuried}},
		{"panics are failures", func(int) error { panic("boom") }, queue.Dead, queue.ReasonFailures, queue.Counts{Failures: 3},
			[]queue.Outcome{queue.OutcomePanicked, queue.OutcomePanicked, queue.OutcomePanicked}},
		{"Goexit is a failure", func(int) error { runtime.Goexit(); return nil }, queue.Dead, queue.ReasonFailures, queue.Counts{Failures: 3},
			[]queue.Outcome{queue.OutcomePanicked, queue.OutcomePanicked, queue.OutcomePanicked}},
		{"an error that panics is a failure", func(int) error { return badError{} }, queue.Dead, queue.ReasonFailures, queue.Counts{Failures: 3},
			[]queue.Outcome{queue.OutcomePanicked, queue.OutcomePanicked, queue.OutcomePanicked}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScene(t)
				n := 0
				s.start(worker.Config{Concurrency: 1}, func(context.Context, twice.Job[args]) error { n++; return row.answer(n) })
				id := s.enqueue(plain, 1)[0]
				time.Sleep(time.Hour)
				rec := s.want(id, row.state, row.counts)
				if rec.Reason != row.reason {
					t.Errorf("reason %q", rec.Reason)
				}
				for i, a := range rec.Attempts {
					if i >= len(row.outcomes) || a.Outcome != row.outcomes[i] {
						t.Errorf("attempt %d: %s", i, a.Outcome)
					}
				}
				if len(rec.Attempts) != len(row.outcomes) {
					t.Errorf("%d attempts, want %d", len(rec.Attempts), len(row.outcomes))
				}
				s.stop()
			})
		})
	}
}

type badError struct{}

func (badError) Error() string { panic("no text") }

func TestPanicKeepsTheStackAndIsCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		s.start(worker.Config{}, func(_ context.Context, job twice.Job[args]) error {
			if job.Args.N == 1 {
				panic("boom")
			}
			panic(strings.Repeat("x", 2*queue.MaxError))
		})
		ids := s.enqueue(plain, 1, 2)
		time.Sleep(500 * time.Millisecond)
		if text := s.record(ids[0]).Error; !strings.HasPrefix(text, "panic: boom\n") || !strings.Contains(text, "run_test.go") {
			t.Errorf("error text: %.300s", text)
		}
		if text := s.record(ids[1]).Error; len(text) != queue.MaxError || !strings.Contains(text[len(text)-60:], "cut: it had") {
			t.Errorf("%d bytes, ends %q", len(text), text[len(text)-60:])
		}
		s.stop()
	})
}

// Case 5 of the cases: bytes that the kind cannot parse end dead with the bytes intact; a kind nobody
// handles waits.
func TestCase05UndecodableAndUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		s.start(worker.Config{}, func(context.Context, twice.Job[args]) error { t.Error("ran"); return nil })
		bytes := "\x00not json\xff"
		bad := queue.Job{Queue: "default", Kind: "test.plain", Key: "bad", Payload: []byte(bytes)}
		other := queue.Job{Queue: "default", Kind: "test.other", Key: "other", Payload: []byte("{}")}
		receipts, err := s.engine.Enqueue(t.Context(), bad, other)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		rec := s.want(receipts[0].ID, queue.Dead, queue.Counts{Failures: 3})
		if rec.Reason != queue.ReasonUndecodable || string(rec.Job.Payload) != bytes {
			t.Errorf("reason %q, payload %q", rec.Reason, rec.Job.Payload)
		}
		s.want(receipts[1].ID, queue.Queued, queue.Counts{})
		if strings.Contains(s.logged(), "not json") {
			t.Error("the payload was logged")
		}
		s.stop()
	})
}

func TestBackoffIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		var at []time.Time
		s.start(worker.Config{}, func(context.Context, twice.Job[args]) error {
			at = append(at, time.Now())
			return errors.New("no")
		})
		s.enqueue(plain, 1)
		time.Sleep(time.Minute)
		s.stop()
		if len(at) != 3 {
			t.Fatalf("%d attempts", len(at))
		}
		for i, want := range []time.Duration{time.Second, 4 * time.Second} {
			if d := at[i+1].Sub(at[i]); d < want/2-time.Millisecond || d > want+time.Millisecond {
				t.Errorf("retry %d after %s, want %s to %s", i+1, d, want/2, want)
			}
		}
	})
}

func TestDeadlinePassedIsDeadWithoutARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		receipt, err := plain.Enqueue(t.Context(), s.engine, args{1}, twice.Before(time.Now().Add(time.Second)))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		s.start(worker.Config{}, func(context.Context, twice.Job[args]) error { t.Error("ran"); return nil })
		time.Sleep(time.Second)
		if rec := s.want(receipt.ID, queue.Dead, queue.Counts{}); rec.Reason != queue.ReasonDeadline {
			t.Errorf("reason %q", rec.Reason)
		}
		s.stop()
	})
}

func TestClaimsNoMoreThanItsSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		var now, most atomic.Int32
		s.start(worker.Config{Concurrency: 3}, func(context.Context, twice.Job[args]) error {
			most.Store(max(most.Load(), now.Add(1)))
			defer now.Add(-1)
			time.Sleep(time.Second)
			return nil
		})
		for n := range 30 {
			s.enqueue(plain, n)
		}
		for range 12 {
			d, err := s.engine.Depths(t.Context(), "default")
			if err != nil {
				t.Fatal(err)
			}
			if d[0].Running > 3 {
				t.Errorf("%d leased, 3 slots", d[0].Running)
			}
			time.Sleep(900 * time.Millisecond)
		}
		d, _ := s.engine.Depths(t.Context(), "default")
		if d[0].Done != 30 || most.Load() != 3 {
			t.Errorf("%d done, at most %d at once", d[0].Done, most.Load())
		}
		s.stop()
	})
}

// An exchange takes a third of many slots' jobs at most, however many have ended: so handlers and engine both have work
// while it is under way.
func TestAnExchangeTakesAThirdOfManySlots(t *testing.T) {
	const slots, share = 900, 300
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		engine := &faulty{Engine: s.engine}
		s.startOn(s.worker(engine, worker.Config{Concurrency: slots}), plain, func(context.Context, twice.Job[args]) error {
			time.Sleep(time.Second) // so they end together
			return nil
		})
		for n := range 20 * slots {
			s.enqueue(plain, n)
		}
		time.Sleep(30 * time.Second)
		if d, _ := s.engine.Depths(t.Context(), "default"); d[0].Done != 20*slots {
			t.Errorf("%d of %d done", d[0].Done, 20*slots)
		}
		s.stop()
		if most := slices.Max(engine.ended); most > share {
			t.Errorf("the largest exchange had %d jobs", most)
		}
	})
}

func TestSettledByTheHandlerIsNotSettledAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		s.start(worker.Config{}, func(ctx context.Context, job twice.Job[args]) error {
			errs, err := s.engine.Settle(ctx, queue.Settlement{Lease: job.Lease, State: queue.Dead, Reason: queue.ReasonBuried, Outcome: queue.OutcomeBuried})
			if err != nil || errs[0] != nil {
				t.Error(err, errs)
			}
			h, ok := queue.HoldingFrom(ctx)
			if !ok {
				t.Fatal("no holding")
			}
			h.MarkSettled()
			return nil
		})
		id := s.enqueue(plain, 1)[0]
		time.Sleep(time.Second)
		if rec := s.record(id); rec.State != queue.Dead || len(rec.Attempts) != 1 {
			t.Errorf("%+v", rec)
		}
		if s.count(worker.LeaseLost) != 0 || s.count(worker.Settled) != 1 {
			t.Errorf("%d lost, %d settled", s.count(worker.LeaseLost), s.count(worker.Settled))
		}
		s.stop()
	})
}
