package memory

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twicehq/twice/queue"
)

func open(t *testing.T) *Engine {
	t.Helper()
	e, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

func claim(wait time.Duration) queue.Claim {
	return queue.Claim{ID: queue.NewClaimID(), Worker: "w", Queues: []string{"q"}, Kinds: []string{"k"}, Max: 1, TTL: 30 * time.Second, Wait: wait}
}

func put(t *testing.T, e *Engine, key string, at time.Time) {
	t.Helper()
	got, err := e.Enqueue(context.Background(), queue.Job{Queue: "q", Kind: "k", Key: key, RunAt: at})
	if err != nil || got[0].Status != queue.Accepted {
		t.Fatal(got, err)
	}
}

// A waiting claim gets a job at the moment when it becomes due, and not a moment later.
func TestWaitEndsOnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := open(t)
		start := time.Now()
		put(t, e, "a", start.Add(90*time.Minute))
		leases, err := e.Claim(t.Context(), claim(2*time.Hour))
		if err != nil || len(leases) != 1 || time.Since(start) != 90*time.Minute {
			t.Fatal(leases, err, time.Since(start))
		}
		// the holder falls silent: another waits, and gets the job when the lease runs out
		leases, err = e.Claim(t.Context(), claim(2*time.Hour))
		if err != nil || len(leases) != 1 || time.Since(start) != 90*time.Minute+30*time.Second || leases[0].Counts.Crashes != 1 {
			t.Fatal(leases, err, time.Since(start))
		}
	})
}

// One job wakes one of many.
func TestNoThunder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := open(t)
		var got atomic.Int32
		for range 50 {
			go func() {
				if leases, err := e.Claim(t.Context(), claim(time.Hour)); err == nil && len(leases) == 1 {
					got.Add(1)
				} else if !errors.Is(err, queue.ErrClosed) {
					t.Error(leases, err)
				}
			}()
		}
		synctest.Wait()
		for i := range 3 {
			put(t, e, fmt.Sprint(i), time.Time{})
			woken := 0
			e.mu.Lock()
			for _, w := range e.waiters {
				woken += len(w.offered)
			}
			e.mu.Unlock()
			if woken > 1 {
				t.Errorf("one job woke %d", woken)
			}
			synctest.Wait()
			if got.Load() != int32(i+1) {
				t.Fatalf("%d jobs, %d leased", i+1, got.Load())
			}
		}
		_ = e.Close()
		synctest.Wait()
	})
}

// What a waiter was woken for and does not take goes to another.
func TestNoLostWake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := open(t)
		ctx, cancel := context.WithCancel(t.Context())
		var first, second error
		var leases []queue.Lease
		go func() { _, first = e.Claim(ctx, claim(time.Hour)) }()
		synctest.Wait()
		go func() { leases, second = e.Claim(t.Context(), claim(time.Hour)) }()
		synctest.Wait()
		e.mu.Lock() // both happen before the first waiter runs
		cancel()
		e.mu.Unlock()
		put(t, e, "a", time.Time{})
		synctest.Wait()
		if (first == nil) == (len(leases) == 1) || second != nil {
			t.Fatal(first, leases, second)
		}
		_ = e.Close()
	})
}

// A process that stood still finds its leases held for one more ttl, once.
func TestOwnSilence(t *testing.T) {
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	e, _ := New(Config{Now: func() time.Time { return now }})
	defer e.Close()
	put(t, e, "a", time.Time{})
	first := claim(0)
	if l, err := e.Claim(t.Context(), first); err != nil || len(l) != 1 {
		t.Fatal(l, err)
	}
	now = now.Add(time.Hour)
	if l, err := e.Claim(t.Context(), claim(0)); err != nil || len(l) != 0 {
		t.Fatal("replaced after the engine's own silence", l, err)
	}
	for range 3 {
		now = now.Add(10 * time.Second)
		if err := e.Announce(t.Context(), queue.Worker{Name: "other"}, time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	if l, err := e.Claim(t.Context(), claim(0)); err != nil || len(l) != 1 || l[0].Counts.Crashes != 1 {
		t.Fatal("not replaced after one more ttl", l, err)
	}
}

// Jobs at rest, however many, make no claim dearer: what it looks at are the shelves, and nothing is on them.
func TestCase14MillionAtRest(t *testing.T) {
	e := open(t)
	if testing.Short() {
		t.Skip("stores 100,000 jobs")
	}
	for i := range 100 {
		var jobs []queue.Job
		for k := range 1000 {
			jobs = append(jobs, queue.Job{Queue: "q", Kind: "k", Key: fmt.Sprint(i, k), RunAt: time.Now().Add(time.Hour)})
		}
		if _, err := e.Enqueue(t.Context(), jobs...); err != nil {
			t.Fatal(err)
		}
	}
	put(t, e, "now", time.Time{})
	if n := len(e.lines["q"].shelves); n != 1 {
		t.Errorf("%d shelves to look at, want 1", n)
	}
	if l, err := e.Claim(t.Context(), claim(0)); err != nil || len(l) != 1 {
		t.Fatal(l, err)
	}
}

func BenchmarkCycle(b *testing.B) {
	e, _ := New(Config{})
	for i := range b.N {
		_, _ = e.Enqueue(b.Context(), queue.Job{Queue: "q", Kind: "k", Key: fmt.Sprint(i)})
		l, _ := e.Claim(b.Context(), claim(0))
		_, _ = e.Settle(b.Context(), queue.Settlement{Lease: l[0], State: queue.Done, Outcome: queue.OutcomeDone})
	}
}
