package sqlite

import (
	"context"
	"testing"
	"time"

	"github.com/twicehq/twice/queue"
)

// Of two silences before a claim the longer is kept, whoever ends them. A claim of any handle on the file uses it, once:
// a lease that ran out in it gets one more ttl from its end.
func TestSilenceIsRememberedForTheNextClaim(t *testing.T) {
	now := time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC)
	path := newPath(t)
	e := openAt(t, path, Config{Logger: silent, Now: func() time.Time { return now }})
	other := openAt(t, path, Config{Logger: silent, Now: func() time.Time { return now }})
	ctx := context.Background()
	claim := func(e *Engine, ttl time.Duration) []queue.Lease {
		t.Helper()
		leases, err := e.Claim(ctx, queue.Claim{ID: queue.NewClaimID(), Worker: "w", Queues: []string{"q"}, Kinds: []string{"k"}, Max: 1, TTL: ttl})
		if err != nil {
			t.Fatal(err)
		}
		return leases
	}
	ping := func(e *Engine, after time.Duration) {
		t.Helper()
		now = now.Add(after)
		if err := e.Ping(ctx); err != nil {
			t.Fatal(err)
		}
	}
	quiet := func(e *Engine) (length time.Duration) {
		t.Helper()
		err := e.read(ctx, "look", func(x *txn) error {
			length = time.Duration(x.engine.quiet.length()) * time.Millisecond
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return length
	}
	if _, err := e.Enqueue(ctx, queue.Job{Queue: "q", Kind: "k", Key: "a"}); err != nil {
		t.Fatal(err)
	}
	if len(claim(e, time.Minute)) != 1 {
		t.Fatal("the job was not leased")
	}
	ping(e, 5*time.Minute)
	ping(other, 5*time.Second)
	if got := quiet(e); got != 5*time.Minute {
		t.Fatalf("a silence of %s is remembered, want the longer", got)
	}
	if got := claim(other, time.Minute); len(got) != 0 {
		t.Fatal("a lease that ran out in the silence was replaced")
	}
	if got := quiet(e); got != 0 {
		t.Fatalf("a silence of %s is remembered after it was used", got)
	}
	ping(other, 30*time.Second)
	ping(other, 24*time.Second)
	if got := claim(e, time.Minute); len(got) != 0 {
		t.Fatal("it was replaced before one more ttl had passed")
	}
	now = now.Add(time.Second)
	if got := claim(e, time.Minute); len(got) != 1 || got[0].Counts.Crashes != 1 {
		t.Fatalf("%+v, want one lease, and a crash", got)
	}
}
