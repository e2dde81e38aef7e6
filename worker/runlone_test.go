package worker_test

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

// lone claims the only job, as a parent does.
func (s *scene) lone(ttl time.Duration) queue.Lease {
	s.t.Helper()
	leases, err := s.engine.Claim(s.t.Context(), queue.Claim{ID: queue.NewClaimID(), Worker: "parent", Queues: []string{"default"}, Kinds: []string{"test.plain"}, Max: 1, TTL: ttl})
	if err != nil || len(leases) != 1 {
		s.t.Fatal(leases, err)
	}
	return leases[0]
}

// runLone runs the child's side on pipes; closing the writer is the word to shut down.
func (s *scene) runLone(ctx context.Context, lease queue.Lease, cfg worker.Config, fn handler) (io.Closer, *bytes.Buffer, chan error) {
	w := s.worker(nil, cfg)
	worker.Handle(w, plain, fn)
	in, word := io.Pipe()
	var out bytes.Buffer
	ended := make(chan error, 1)
	go func() { ended <- w.RunLone(ctx, in, &out) }()
	if err := gob.NewEncoder(word).Encode(&lease); err != nil {
		s.t.Fatal(err)
	}
	return word, &out, ended
}

func TestRunLone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		id := s.enqueue(plain, 1)[0]
		lease := s.lone(3 * time.Second)
		word, out, ended := s.runLone(t.Context(), lease, worker.Config{Lease: 3 * time.Second}, func(ctx context.Context, job twice.Job[args]) error {
			time.Sleep(30 * time.Second) // it extends its own lease
			return context.Cause(ctx)
		})
		if err := <-ended; err != nil {
			t.Error(err)
		}
		s.want(id, queue.Done, queue.Counts{})
		if got, want := out.String(), "twice: lone run begun "+lease.ID.String()+"\ntwice: lone run settled "+lease.ID.String()+"\n"; got != want {
			t.Errorf("said %q", got)
		}
		word.Close()
	})
}

func TestRunLoneDrainsAtTheEndOfItsInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		id := s.enqueue(plain, 1)[0]
		word, _, ended := s.runLone(t.Context(), s.lone(time.Minute), worker.Config{Grace: 5 * time.Second}, func(ctx context.Context, _ twice.Job[args]) error {
			<-ctx.Done()
			return context.Cause(ctx)
		})
		time.Sleep(time.Second)
		word.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		s.want(id, queue.Queued, queue.Counts{Interruptions: 1})
	})
}

func TestRunLoneDeaf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		id := s.enqueue(plain, 1)[0]
		release := make(chan struct{})
		word, out, ended := s.runLone(t.Context(), s.lone(time.Minute), worker.Config{}, func(context.Context, twice.Job[args]) error { <-release; return nil })
		if err := <-ended; !errors.Is(err, worker.ErrDeaf) {
			t.Errorf("RunLone: %v", err)
		}
		s.want(id, queue.Queued, queue.Counts{Failures: 1})
		if !strings.Contains(out.String(), "settled") {
			t.Errorf("said %q", out)
		}
		word.Close()
		close(release)
	})
}

func TestRunLoneRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		id := s.enqueue(plain, 1)[0]
		w := s.worker(nil, worker.Config{})
		worker.Handle(w, plain, func(context.Context, twice.Job[args]) error { t.Error("ran"); return nil })
		if err := w.RunLone(t.Context(), strings.NewReader("by hand"), io.Discard); !errors.Is(err, queue.ErrInvalid) {
			t.Errorf("not a lease: %v", err)
		}
		stale := s.lone(time.Minute)
		if _, err := s.engine.Settle(t.Context(), queue.Settlement{Lease: stale, State: queue.Queued, Outcome: queue.OutcomeInterrupted}); err != nil {
			t.Fatal(err)
		}
		_ = s.lone(time.Minute)
		var in, out bytes.Buffer
		if err := gob.NewEncoder(&in).Encode(&stale); err != nil {
			t.Fatal(err)
		}
		if err := w.RunLone(t.Context(), &in, &out); !errors.Is(err, queue.ErrLeaseLost) || out.Len() > 0 {
			t.Errorf("a lost lease: %v, said %q", err, out.String())
		}
		other := stale
		other.Job.Kind = "test.other"
		in.Reset()
		if err := gob.NewEncoder(&in).Encode(&other); err != nil {
			t.Fatal(err)
		}
		if err := w.RunLone(t.Context(), &in, &out); !errors.Is(err, queue.ErrInvalid) {
			t.Errorf("another kind: %v", err)
		}
		s.want(id, queue.Running, queue.Counts{})
	})
}
