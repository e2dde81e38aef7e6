package redis

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/twicehq/twice/internal/redistest"
	"github.com/twicehq/twice/queue"
)

// moved is a kind whose jobs were enqueued into queue a and are enqueued into queue b now, on one server and on a
// cluster where the two are at different nodes.
func moved(t *testing.T, check func(t *testing.T, url, a, b string)) {
	redistest.Need(t)
	t.Parallel()
	t.Run("one server", func(t *testing.T) {
		t.Parallel()
		check(t, redistest.Start(t, redistest.Options{}).URL(), "a", "b")
	})
	t.Run("cluster", func(t *testing.T) {
		t.Parallel()
		cluster := redistest.Cluster(t, 2)
		names, _ := spread(cluster, engine(t, cluster.URL(), Config{}))
		check(t, cluster.URL(), names[0], names[1])
	})
}

func TestAMovedKindKnowsTheIdsOfItsOldQueue(t *testing.T) {
	moved(t, func(t *testing.T, url, a, b string) {
		// Of two processes the one uses the old queue still.
		old, now := engine(t, url, Config{}), engine(t, url, Config{})
		put := func(e *Engine, to, key, payload string) queue.Receipt {
			t.Helper()
			receipts, err := e.Enqueue(t.Context(), queue.Job{Queue: to, Kind: "k", Key: key, Payload: []byte(payload)})
			if err != nil {
				t.Fatal(err)
			}
			return receipts[0]
		}
		for _, key := range []string{"waits", "runs", "done"} {
			if got := put(old, a, key, "x"); got.Status != queue.Accepted {
				t.Fatalf("%+v", got)
			}
		}
		req := claimOf(3)
		req.Queues = []string{a}
		leases, err := old.Claim(t.Context(), req)
		if err != nil || len(leases) != 3 {
			t.Fatal(leases, err)
		}
		end := map[string]queue.Settlement{"done": {State: queue.Done, Outcome: queue.OutcomeDone}, "waits": {State: queue.Queued, Outcome: queue.OutcomeInterrupted}}
		for _, l := range leases {
			if s, ok := end[l.Job.Key]; ok {
				s.Lease = l
				if errs, err := old.Settle(t.Context(), s); err != nil || errs[0] != nil {
					t.Fatal(errs, err)
				}
			}
		}
		for key, state := range map[string]queue.State{"waits": queue.Queued, "runs": queue.Running, "done": queue.Done} {
			if got := put(now, b, key, "x"); got.Status != queue.Duplicate || got.HolderState != state || got.Holder != got.ID {
				t.Errorf("%s: %+v", key, got)
			}
			if got := put(now, b, key, "another"); got.Status != queue.Conflict || !errors.Is(got.Err, queue.ErrConflict) || got.HolderState != state {
				t.Errorf("%s: %+v", key, got)
			}
		}
		// Both ways, and in one call with what is new.
		receipts, err := now.Enqueue(t.Context(), queue.Job{Queue: b, Kind: "k", Key: "new 1"}, queue.Job{Queue: b, Kind: "k", Key: "runs", Payload: []byte("x")},
			queue.Job{Queue: b, Kind: "k", Key: "new 2"})
		if err != nil || receipts[0].Status != queue.Accepted || receipts[1].Status != queue.Duplicate || receipts[1].HolderState != queue.Running || receipts[2].Status != queue.Accepted {
			t.Errorf("%+v, %v", receipts, err)
		}
		if got := put(old, a, "new 1", ""); got.Status != queue.Duplicate {
			t.Errorf("%+v", got)
		}
		req = claimOf(5)
		req.Queues, req.Wait = []string{b}, 0
		leases, err = now.Claim(t.Context(), req)
		if err != nil || len(leases) != 2 || leases[0].Job.Key != "new 1" {
			t.Errorf("%+v, %v", leases, err)
		}
	})
}

// On one server no two clients, however old their knowledge of the queues, store one id in both queues at once.
func TestAKindThatMovesAtThisMomentHasEachIdOnce(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t, redistest.Options{})
	for round := range 30 {
		cfg := Config{Prefix: prefix()}
		engines := make([]*Engine, 4)
		for i := range engines {
			engines[i] = engine(t, server.URL(), cfg)
			for _, name := range []string{"a", "b"} { // they know both queues, which have other kinds
				if _, err := engines[i].Enqueue(t.Context(), queue.Job{Queue: name, Kind: "of " + name, Key: "0"}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if round%2 == 0 { // or it is new to both
			if _, err := engines[0].Enqueue(t.Context(), queue.Job{Queue: "a", Kind: "k", Key: "first"}); err != nil {
				t.Fatal(err)
			}
		}
		var mu sync.Mutex
		accepted := map[queue.ID]int{}
		var all sync.WaitGroup
		start := make(chan struct{})
		for i, e := range engines {
			all.Go(func() {
				<-start
				for key := range 20 {
					receipts, err := e.Enqueue(context.Background(), queue.Job{Queue: []string{"a", "b"}[i%2], Kind: "k", Key: fmt.Sprint(key)})
					if err != nil {
						t.Error(err)
						return
					}
					if receipts[0].Status == queue.Accepted {
						mu.Lock()
						accepted[receipts[0].ID]++
						mu.Unlock()
					}
				}
			})
		}
		close(start)
		all.Wait()
		for id, n := range accepted {
			if n != 1 {
				t.Fatalf("round %d: job %s was accepted %d times", round, id, n)
			}
		}
		if len(accepted) != 20 {
			t.Fatalf("round %d: %d of 20", round, len(accepted))
		}
	}
}

// Somebody died after it had made a queue known as one that has the kind, or before: the others rely on neither.
func TestAnAnnouncementThatWasCutShortIsMadeAgain(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t, redistest.Options{})
	old, now := engine(t, server.URL(), Config{}), engine(t, server.URL(), Config{})
	put := func(e *Engine, to, key string) queue.Status {
		receipts, err := e.Enqueue(t.Context(), queue.Job{Queue: to, Kind: "k", Key: key})
		if err != nil {
			t.Fatal(err)
		}
		return receipts[0].Status
	}
	put(old, "a", "0")
	server.Must("SADD", "twice:kind:k", "b") // and no further
	if got := put(now, "b", "1"); got != queue.Accepted {
		t.Fatal(got)
	}
	if got := put(old, "a", "1"); got != queue.Duplicate {
		t.Error("the old queue's clients were not told:", got)
	}
}

// A job that follows another is not stored again where its kind was before; with another payload it refuses the settlement.
func TestAFollowUpOfAMovedKindIsKnown(t *testing.T) {
	moved(t, func(t *testing.T, url, a, b string) {
		e := engine(t, url, Config{})
		follow := queue.Job{Queue: a, Kind: "f", Key: "1", Payload: []byte("x")}
		if _, err := e.Enqueue(t.Context(), follow, queue.Job{Queue: b, Kind: "k", Key: "first"}); err != nil {
			t.Fatal(err)
		}
		req := claimOf(1)
		req.Queues = []string{b}
		leases, err := e.Claim(t.Context(), req)
		if err != nil || len(leases) != 1 {
			t.Fatal(leases, err)
		}
		follow.Queue = b
		s := queue.Settlement{Lease: leases[0], State: queue.Done, Outcome: queue.OutcomeDone, Next: []queue.Job{follow}}
		s.Next[0].Payload = []byte("y")
		if errs, err := e.Settle(t.Context(), s); err != nil || !errors.Is(errs[0], queue.ErrConflict) {
			t.Errorf("another payload: %v, %v", errs, err)
		}
		s.Next[0].Payload = []byte("x")
		if errs, err := e.Settle(t.Context(), s); err != nil || errs[0] != nil {
			t.Errorf("the same: %v, %v", errs, err)
		}
		depths, err := e.Depths(t.Context(), a, b)
		if err != nil || depths[0].Queued != 1 || depths[1].Queued != 0 || depths[1].Done != 1 {
			t.Errorf("%+v, %v", depths, err)
		}
	})
}
