package sqlite

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/twicehq/twice/queue"
)

// Where the one who claims comes more rarely than a lease lasts, and nobody else writes, a lost lease is spared
// once, and then replaced as a crash.
func TestGraceIsGivenOnce(t *testing.T) {
	now := time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC)
	e, err := Open(filepath.Join(t.TempDir(), "q.db"), Config{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	ctx := context.Background()
	if _, err := e.Enqueue(ctx, queue.Job{Queue: "q", Kind: "k", Key: "a"}); err != nil {
		t.Fatal(err)
	}
	claim := func() []queue.Lease {
		leases, err := e.Claim(ctx, queue.Claim{ID: queue.NewClaimID(), Worker: "w", Queues: []string{"q"}, Kinds: []string{"k"}, Max: 1, TTL: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		return leases
	}
	if len(claim()) != 1 {
		t.Fatal("the job was not leased")
	}
	for n := 1; n <= 2; n++ {
		now = now.Add(time.Minute)
		if got := claim(); len(got) != n-1 {
			t.Fatalf("claim %d after the lease ran out gave %d leases, want %d", n, len(got), n-1)
		}
	}
}
