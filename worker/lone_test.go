package worker_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

// crash makes a suspect, or worse: the lease of the only job is lost with no word n times. The last
// crash is counted by the next claim, which for a suspect is made here, and leases nothing.
func (s *scene) crash(kind *twice.Kind[args], n int) {
	s.t.Helper()
	rules := kind.Rules()
	claim := func(lone bool) int {
		leases, err := s.engine.Claim(s.t.Context(), queue.Claim{ID: queue.NewClaimID(), Worker: "victim", Queues: []string{rules.Queue},
			Kinds: []string{rules.Kind}, Max: 10, TTL: 5 * time.Second, CrashCaps: map[string]int{rules.Kind: rules.Caps.Crashes}, Lone: lone})
		if err != nil {
			s.t.Fatal(err)
		}
		return len(leases)
	}
	defer func() {
		if n == rules.Caps.Crashes-1 && claim(false) > 0 {
			s.t.Fatal("a suspect was leased in company")
		}
	}()
	for range n {
		if claim(false) == 0 {
			claim(true)
		}
		for range 7 { // the engine goes on serving, so that it counts the crash
			time.Sleep(time.Second)
			if err := s.engine.Announce(s.t.Context(), queue.Worker{Name: "victim"}, time.Millisecond); err != nil {
				s.t.Fatal(err)
			}
		}
	}
}

func TestSuspectRunsBesideOthersWhereNobodyElseServes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		ids := s.enqueue(plain, 1)
		s.crash(plain, 2)
		busy := s.enqueue(plain, 2)[0]
		s.start(worker.Config{}, func(_ context.Context, job twice.Job[args]) error {
			if job.Args.N == 2 {
				time.Sleep(30 * time.Second)
			}
			return nil
		})
		time.Sleep(10 * time.Second)
		s.want(ids[0], queue.Done, queue.Counts{})
		if e := s.last(worker.LoneStarted); e.Alone || !e.Lease.Lone || e.Lease.Counts.Crashes != 2 {
			t.Errorf("%+v", e)
		}
		s.want(busy, queue.Running, queue.Counts{})
		s.stop()
	})
}

func TestSuspectRunsAloneWhileAnotherServes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		suspect := s.enqueue(plain, 1)[0]
		s.crash(plain, 2)
		var beside, others atomic.Int32
		var sawBeside atomic.Bool
		handle := func(_ context.Context, job twice.Job[args]) error {
			if job.Args.N == 1 {
				sawBeside.Store(beside.Load() > 0)
				time.Sleep(10 * time.Second)
				sawBeside.Store(sawBeside.Load() || beside.Load() > 0)
				return nil
			}
			beside.Add(1)
			defer beside.Add(-1)
			time.Sleep(5 * time.Second)
			return nil
		}
		other := worker.New(noSuspects{s.engine}, worker.Config{Name: "other", Concurrency: 1, Logger: slog.New(slog.DiscardHandler)})
		worker.Handle(other, plain, func(context.Context, twice.Job[args]) error {
			others.Add(1)
			time.Sleep(time.Second)
			return nil
		})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- other.Run(ctx) }()
		for n := range 60 {
			s.enqueue(plain, 100+n)
		}
		s.start(worker.Config{Name: "w1", Concurrency: 3}, handle)
		time.Sleep(12 * time.Second)
		workers, _ := s.engine.Workers(t.Context())
		for _, w := range workers {
			if w.Name == "w1" && w.Slots != 0 {
				t.Errorf("it stepped aside and announces %d slots", w.Slots)
			}
		}
		time.Sleep(8 * time.Second)
		s.want(suspect, queue.Done, queue.Counts{})
		if e := s.last(worker.LoneStarted); !e.Alone || sawBeside.Load() {
			t.Errorf("alone %v, saw others: %v", e.Alone, sawBeside.Load())
		}
		if others.Load() < 10 {
			t.Errorf("the queue was held up: %d done elsewhere", others.Load())
		}
		time.Sleep(time.Minute)
		d, _ := s.engine.Depths(t.Context(), "default")
		if d[0].Done != 61 {
			t.Errorf("%+v", d[0])
		}
		s.stop()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// Two workers that would step aside for each other: neither does, and the queues go on.
func TestTwoThatWouldStepAside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		a := twice.Define("test.a", twice.Policy[args]{Key: key, Queue: "a"})
		b := twice.Define("test.b", twice.Policy[args]{Key: key, Queue: "b"})
		ids := append(s.enqueue(a, 1), s.enqueue(b, 1)...)
		s.crash(a, 2)
		s.crash(b, 2)
		var ends []func()
		for _, name := range []string{"w1", "w2"} {
			w := s.worker(nil, worker.Config{Name: name, Concurrency: 2})
			for _, kind := range []*twice.Kind[args]{a, b} {
				worker.Handle(w, kind, func(context.Context, twice.Job[args]) error { time.Sleep(2 * time.Second); return nil })
			}
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- w.Run(ctx) }()
			ends = append(ends, func() {
				cancel()
				if err := <-ended; err != nil {
					t.Error(err)
				}
			})
		}
		for n := range 20 {
			s.enqueue(a, 10+n)
			s.enqueue(b, 10+n)
		}
		time.Sleep(time.Minute)
		for _, id := range ids {
			s.want(id, queue.Done, queue.Counts{})
		}
		for _, q := range []string{"a", "b"} {
			if d, _ := s.engine.Depths(t.Context(), q); d[0].Done != 21 {
				t.Errorf("%+v", d[0])
			}
		}
		for _, end := range ends {
			end()
		}
	})
}

// Case 3: crashes at their cap bury the job with that reason, and the handler is not run.
func TestCase03CrashesAtTheirCap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		id := s.enqueue(plain, 1)[0]
		s.crash(plain, 3)
		s.start(worker.Config{}, func(context.Context, twice.Job[args]) error { t.Error("ran"); return nil })
		time.Sleep(10 * time.Second)
		rec := s.want(id, queue.Dead, queue.Counts{Crashes: 3})
		if rec.Reason != queue.ReasonCrashes {
			t.Errorf("reason %q", rec.Reason)
		}
		s.stop()
	})
}

// A thousand suspects after a lost node neither stop the queue nor starve.
func TestManySuspects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		const n = 300
		leases := 0
		var ids []queue.ID
		for i := range n {
			ids = append(ids, s.enqueue(plain, i)...)
		}
		for range 2 {
			got, err := s.engine.Claim(t.Context(), queue.Claim{ID: queue.NewClaimID(), Worker: "victim", Queues: []string{"default"},
				Kinds: []string{"test.plain"}, Max: n, TTL: 5 * time.Second, CrashCaps: map[string]int{"test.plain": 3}})
			if err != nil {
				t.Fatal(err)
			}
			leases += len(got)
			for range 7 {
				time.Sleep(time.Second)
				_ = s.engine.Announce(t.Context(), queue.Worker{Name: "victim"}, time.Millisecond)
			}
		}
		s.start(worker.Config{Concurrency: 2}, func(context.Context, twice.Job[args]) error { time.Sleep(100 * time.Millisecond); return nil })
		time.Sleep(time.Second)
		healthy := s.enqueue(plain, n+1)[0]
		time.Sleep(time.Second)
		s.want(healthy, queue.Done, queue.Counts{})
		time.Sleep(2 * time.Minute)
		for _, id := range ids {
			if rec := s.record(id); rec.State != queue.Done {
				t.Fatalf("%s after %d leases", rec.State, leases)
			}
		}
		if e := s.last(worker.LoneStarted); e.What == 0 {
			t.Error("none ran alone")
		}
		s.stop()
	})
}

// noSuspects leaves suspects to others.
type noSuspects struct{ *memory.Engine }

func (e noSuspects) Claim(ctx context.Context, req queue.Claim) ([]queue.Lease, error) {
	if req.Lone {
		return nil, nil
	}
	return e.Engine.Claim(ctx, req)
}

// A job marked lone under a policy that has no lone runs any more does not wait for ever.
func TestSuspectOfAnotherPolicy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		id := s.enqueue(plain, 1)[0]
		s.crash(plain, 2)
		now := twice.Define("test.plain", twice.Policy[args]{Key: key, MaxCrashes: 1})
		s.startOn(s.worker(nil, worker.Config{}), now, func(context.Context, twice.Job[args]) error { t.Error("ran"); return nil })
		time.Sleep(10 * time.Second)
		if rec := s.want(id, queue.Dead, queue.Counts{Crashes: 2}); rec.Reason != queue.ReasonCrashes {
			t.Errorf("reason %q", rec.Reason)
		}
		s.stop()
	})
}
