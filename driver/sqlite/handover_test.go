package sqlite

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twicehq/twice/queue"
)

// sleeping starts a claim and returns once it sleeps.
func sleeping(t *testing.T, e *Engine, ctx context.Context, most int, lone bool) <-chan []queue.Lease {
	t.Helper()
	got := make(chan []queue.Lease, 1)
	e.wake.mu.Lock()
	before := e.wake.asleep
	e.wake.mu.Unlock()
	go func() {
		leases, err := e.Claim(ctx, queue.Claim{ID: queue.NewClaimID(), Worker: "w", Queues: []string{testQueue}, Kinds: []string{testKind}, Max: most, TTL: time.Minute, Wait: time.Minute, Lone: lone})
		if err != nil && !errors.Is(err, queue.ErrClosed) {
			t.Error(err)
		}
		got <- leases
	}()
	for start := time.Now(); ; time.Sleep(time.Millisecond) {
		e.wake.mu.Lock()
		now := e.wake.asleep
		e.wake.mu.Unlock()
		if now > before {
			return got
		}
		if time.Since(start) > 20*time.Second {
			t.Fatal("it does not sleep")
		}
	}
}

// A job and the lease of a claim that sleeps are committed together.
func TestAnEnqueueServesWhoSleeps(t *testing.T) {
	e, err := Open(filepath.Join(t.TempDir(), "q.db"), Config{})
	must(t, err)
	defer e.Close()
	for range 3 { // claims of suspects, which a worker has beside its others, are not taken for it
		sleeping(t, e, t.Context(), 1, true)
	}
	for n := range 5 {
		got := sleeping(t, e, t.Context(), 10, false)
		commits := e.w.commits.Load()
		_, err := e.Enqueue(t.Context(), queue.Job{Queue: testQueue, Kind: testKind, Key: fmt.Sprint(n)})
		must(t, err)
		if leases := <-got; len(leases) != 1 || leases[0].Job.Key != fmt.Sprint(n) {
			t.Fatalf("%+v", leases)
		}
		if made := e.w.commits.Load() - commits; n > 0 && made != 1 { // the first may find the claim between two looks
			t.Errorf("%d commits", made)
		}
		look, err := e.Job(t.Context(), queue.NewID(testKind, fmt.Sprint(n)))
		must(t, err)
		if look.State != queue.Running {
			t.Errorf("it is %s", look.State)
		}
	}
}

// Sleepers that are served, give up or are closed meanwhile lose nothing: each job is leased once.
func TestNothingIsLostBetweenSleepAndService(t *testing.T) {
	e, err := Open(filepath.Join(t.TempDir(), "q.db"), Config{})
	must(t, err)
	const jobs, sleepers = 400, 8
	ctx, cancel := context.WithCancel(t.Context())
	var leased sync.Map
	var n atomic.Int64
	var all sync.WaitGroup
	for range sleepers {
		all.Go(func() {
			for ctx.Err() == nil {
				brief, stop := context.WithTimeout(ctx, 3*time.Millisecond)
				got, err := e.Claim(brief, queue.Claim{ID: queue.NewClaimID(), Worker: "w", Queues: []string{testQueue}, Kinds: []string{testKind}, Max: 3, TTL: time.Hour, Wait: time.Second})
				stop()
				if err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) && !errors.Is(err, queue.ErrUnknownOutcome) {
					t.Error(err)
				}
				for _, l := range got {
					if _, twice := leased.LoadOrStore(l.Job.ID, true); twice {
						t.Errorf("%s was leased twice", l.Job.Key)
					}
					n.Add(1)
				}
			}
		})
	}
	for i := range jobs {
		_, err := e.Enqueue(t.Context(), queue.Job{Queue: testQueue, Kind: testKind, Key: fmt.Sprint(i)})
		must(t, err)
	}
	depth := func() queue.Depth {
		d, err := e.Depths(t.Context(), testQueue)
		must(t, err)
		return d[0]
	}
	for start := time.Now(); ; time.Sleep(time.Millisecond) {
		b, err := e.Audit(t.Context())
		must(t, err)
		if b[0].Found.Running == jobs {
			break
		}
		if time.Since(start) > 30*time.Second {
			t.Fatalf("%+v", depth())
		}
	}
	cancel()
	all.Wait()
	must(t, e.Close())
	// A claim whose context ended before it knew its outcome may have leased jobs that nobody was told of: those run out.
	if told := n.Load(); told > jobs {
		t.Errorf("%d leases of %d jobs", told, jobs)
	}
}
