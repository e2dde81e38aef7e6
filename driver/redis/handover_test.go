package redis

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twicehq/twice/internal/redistest"
	"github.com/twicehq/twice/queue"
)

// A claim that sleeps goes with the enqueue of what it waits for, by one round trip of both.
func TestAnEnqueueTakesWhoSleepsAlong(t *testing.T) {
	t.Parallel()
	e := openOn(t, redistest.Start(t, redistest.Options{}), Config{})
	for n := range 5 {
		got := make(chan []queue.Lease, 1)
		go func() {
			leases, err := e.Claim(t.Context(), queue.Claim{ID: queue.NewClaimID(), Worker: "w", Queues: []string{"q"}, Kinds: []string{"k"}, Max: 10, TTL: time.Minute, Wait: time.Minute})
			if err != nil {
				t.Error(err)
			}
			got <- leases
		}()
		var me *waiter
		for start := time.Now(); me == nil; time.Sleep(time.Millisecond) {
			e.wake.mu.Lock()
			for w := range e.wake.waiters {
				if w.doing.Load() == asleep {
					me = w
				}
			}
			e.wake.mu.Unlock()
			if time.Since(start) > 20*time.Second {
				t.Fatal("it does not sleep")
			}
		}
		if _, err := e.Enqueue(t.Context(), queue.Job{Queue: "q", Kind: "k", Key: fmt.Sprint(n)}); err != nil {
			t.Fatal(err)
		}
		if leases := <-got; len(leases) != 1 || leases[0].Job.Key != fmt.Sprint(n) {
			t.Fatalf("%+v", leases)
		}
		if n > 0 && me.doing.Load() != served { // the first enqueue makes the queue: the claim knew nothing of its lanes
			t.Error("it was woken, and claimed by itself")
		}
	}
}

// Sleepers that go along, give up or wake by themselves at the same moment lose nothing: each job is leased once.
func TestNobodyIsLostOnTheWay(t *testing.T) {
	t.Parallel()
	const jobs, sleepers = 400, 6
	e := openOn(t, redistest.Start(t, redistest.Options{}), Config{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var mu sync.Mutex
	var untold atomic.Int64
	leased := map[string]int{}
	var all sync.WaitGroup
	for range sleepers {
		all.Go(func() {
			for ctx.Err() == nil {
				brief, stop := context.WithTimeout(ctx, 4*time.Millisecond)
				req := queue.Claim{ID: queue.NewClaimID(), Worker: "w", Queues: []string{"q"}, Kinds: []string{"k"}, Max: 3, TTL: time.Hour, Wait: time.Second}
				got, err := e.Claim(brief, req)
				stop()
				if errors.Is(err, queue.ErrUnknownOutcome) { // what it was given is given again, unless it is still on its way
					untold.Add(int64(req.Max))
					req.Wait = 0
					got, err = e.Claim(context.Background(), req)
				}
				if err != nil && ctx.Err() == nil && !errors.Is(err, context.DeadlineExceeded) {
					t.Error(err)
				}
				mu.Lock()
				for _, l := range got {
					leased[l.Job.Key]++
				}
				mu.Unlock()
			}
		})
	}
	for i := range jobs {
		if _, err := e.Enqueue(t.Context(), queue.Job{Queue: "q", Kind: "k", Key: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	for start := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		b, err := e.Audit(t.Context())
		if err != nil || b[0].Found.Running == jobs {
			break
		}
		if time.Since(start) > 30*time.Second {
			t.Fatalf("%+v", b)
		}
	}
	cancel()
	all.Wait()
	if missing := jobs - len(leased); int64(missing) > untold.Load() {
		t.Errorf("of %d leases nobody was told, and of at most %d the outcome was unknown", missing, untold.Load())
	}
	for key, n := range leased {
		if n != 1 {
			t.Errorf("%s was leased %d times", key, n)
		}
	}
}
