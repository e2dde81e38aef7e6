package campaign_test

import (
	"context"
	"encoding/gob"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/proof/campaign"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

// claims counts the claims that are made of an engine.
type claims struct {
	queue.Engine
	mu sync.Mutex
	n  int
}

func (c *claims) Claim(ctx context.Context, req queue.Claim) ([]queue.Lease, error) {
	c.mu.Lock()
	c.n++
	c.mu.Unlock()
	return c.Engine.Claim(ctx, req)
}

// slow is a pipe whose reader takes its time.
type slow struct{}

func (slow) Write(p []byte) (int, error) {
	time.Sleep(100 * time.Millisecond)
	return len(p), nil
}

// The process of a suspect claims nothing: no innocent job comes into it, however slowly its parent hears
// that it begins.
func TestSuspectsProcessClaimsNothing(t *testing.T) {
	t.Parallel()
	engine, err := memory.New(memory.Config{})
	if err != nil {
		t.Fatal(err)
	}
	kind := campaign.Kind(crashCap, 8)
	for n := range 2 {
		if _, err := kind.Enqueue(t.Context(), engine, campaign.Args{N: n}); err != nil {
			t.Fatal(err)
		}
	}
	leases, err := engine.Claim(t.Context(), queue.Claim{ID: queue.NewClaimID(), Worker: "parent", Queues: []string{campaign.Queue}, Kinds: []string{campaign.KindName}, Max: 1, TTL: time.Minute})
	if err != nil || len(leases) != 1 {
		t.Fatal(leases, err)
	}
	counting := &claims{Engine: engine}
	w := worker.New(counting, worker.Config{Logger: slog.New(slog.DiscardHandler)})
	ran := make(chan int, 2)
	worker.Handle(w, kind, func(_ context.Context, job twice.Job[campaign.Args]) error {
		ran <- job.Args.N
		return nil
	})
	in, word := io.Pipe()
	defer word.Close()
	go func() {
		if err := gob.NewEncoder(word).Encode(&leases[0]); err != nil {
			word.CloseWithError(err)
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := w.RunLone(ctx, in, slow{}); err != nil {
		t.Error(err)
	}
	if len(ran) != 1 || counting.n > 0 {
		t.Errorf("it ran %d jobs and made %d claims; want the one it was given, and none", len(ran), counting.n)
	}
}

// A suspect whose parent is killed is told to shut down. That its parent no longer reads what it prints is
// no crash of the job.
func TestSuspectOutlivesItsParent(t *testing.T) {
	t.Parallel()
	s := enter(t, campaign.Config{MaxCrashes: crashCap, Lone: true, Lease: 2 * time.Second, Grace: 500 * time.Millisecond})
	id := s.enqueue(campaign.Args{N: 0, Do: campaign.Talk})[0]
	claim := queue.Claim{ID: queue.NewClaimID(), Worker: "test", Queues: []string{campaign.Queue}, Kinds: []string{campaign.KindName}, Max: 1, TTL: time.Minute}
	leases, err := s.Store.Engine.Claim(s.ctx, claim)
	if err != nil || len(leases) != 1 {
		t.Fatal(leases, err)
	}
	errs, err := s.Store.Engine.Settle(s.ctx, queue.Settlement{Lease: leases[0], State: queue.Queued, Outcome: queue.OutcomeInterrupted, Lone: true})
	s.must(err)
	s.must(errs[0])
	s.must(s.Hire(s.ctx, 1))
	s.until("it runs", func() bool { return s.Starts(id) == 1 })
	s.must(s.Processes()[0].Kill())
	s.until("it ended or runs again", func() bool { return s.Starts(id) == 2 })
	if c := s.record(id).Counts; c.Crashes != 0 || c.Interruptions != 1 {
		t.Errorf("%+v, want one interruption: its own process was well", c)
	}
}
