package redis

import (
	"testing"
	"time"

	"github.com/twicehq/twice/internal/redistest"
	"github.com/twicehq/twice/queue"
)

// The server's clock is set back ten minutes, as when a replica takes over whose clock is behind: leases still run out, and
// what was delayed still falls due, each after its own time and not ten minutes later.
func TestTheServersClockIsSetBack(t *testing.T) {
	now := time.Now().Truncate(time.Millisecond)
	e := openOn(t, redistest.Start(t, redistest.Options{}), Config{Now: func() time.Time { return now }})
	receipts, err := e.Enqueue(t.Context(), queue.Job{Queue: "q", Kind: "k", Key: "leased"}, queue.Job{Queue: "q", Kind: "k", Key: "delayed", RunAt: now.Add(time.Minute)})
	if err != nil || receipts[1].Status != queue.Accepted {
		t.Fatal(receipts, err)
	}
	claim := func() []queue.Lease {
		leases, err := e.Claim(t.Context(), queue.Claim{ID: queue.NewClaimID(), Worker: "w", Queues: []string{"q"}, Kinds: []string{"k"}, Max: 10, TTL: 30 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		return leases
	}
	first := claim()
	if len(first) != 1 {
		t.Fatalf("%d leases", len(first))
	}
	until := first[0].Until
	for _, back := range []time.Duration{10 * time.Minute, 0, 20 * time.Minute} {
		now = now.Add(-back)
		claim() // it sees the clock so
		now = now.Add(5 * time.Second)
		claim()
	}
	if leases := claim(); len(leases) != 0 {
		t.Fatalf("%d leases after 15s", len(leases))
	}
	now = now.Add(16 * time.Second)
	again := claim()
	if len(again) != 1 || again[0].Token != 2 || !again[0].Until.After(until) {
		t.Fatalf("after 31s, leased until %s before: %+v", until, again)
	}
	now = now.Add(29 * time.Second)
	if late := claim(); len(late) != 1 || late[0].Job.Key != "delayed" {
		t.Fatalf("after a minute: %+v", late)
	}
}
