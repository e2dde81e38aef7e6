package worker_test

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

// child is a suspect's process that speaks the protocol without an engine, in one of several roles.
func child(role string) int {
	if role == "refuses" {
		return 3
	}
	var lease queue.Lease
	if err := gob.NewDecoder(os.Stdin).Decode(&lease); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 4
	}
	fmt.Printf("key %q, no newline ", lease.Job.Key)
	fmt.Printf("twice: lone run begun %s\n", lease.ID)
	switch role {
	case "settles":
		fmt.Printf("bye\ntwice: lone run settled %s\n", lease.ID)
	case "dies":
		p, _ := os.FindProcess(os.Getpid())
		_ = p.Kill()
		select {}
	case "obeys": // the word to shut down
		_, _ = io.Copy(io.Discard, os.Stdin)
		fmt.Printf("twice: lone run settled %s\n", lease.ID)
	case "hangs":
		time.Sleep(time.Hour)
	}
	return 0
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// processScene runs a worker, in real time, that has a suspect and the command that runs it in this role.
func processScene(t *testing.T, role string, cfg worker.Config) (*scene, queue.ID, *safeBuffer) {
	t.Helper()
	s := newScene(t)
	var out safeBuffer
	cfg.Lone = &worker.Lone{Args: []string{"lone"}, Env: append(os.Environ(), "TWICE_TEST_CHILD="+role), Stdout: &out, Stderr: &out}
	job := queue.Job{Queue: "default", Kind: "test.plain", Key: "\x00bytes\xff", Payload: []byte(`{"n":1}`)}
	receipts, err := s.engine.Enqueue(t.Context(), job)
	if err != nil || receipts[0].Err != nil {
		t.Fatal(receipts, err)
	}
	// A suspect, made quickly: a settlement may mark a job lone.
	leases, err := s.engine.Claim(t.Context(), queue.Claim{ID: queue.NewClaimID(), Worker: "victim", Queues: []string{"default"}, Kinds: []string{"test.plain"}, Max: 1, TTL: time.Minute})
	if err != nil || len(leases) != 1 {
		t.Fatal(leases, err)
	}
	if _, err := s.engine.Settle(t.Context(), queue.Settlement{Lease: leases[0], State: queue.Queued, Outcome: queue.OutcomeInterrupted, Lone: true}); err != nil {
		t.Fatal(err)
	}
	s.startOn(s.worker(nil, cfg), plain, func(context.Context, twice.Job[args]) error { t.Error("ran in the parent"); return nil })
	return s, receipts[0].ID, &out
}

// until waits for a condition of the real world, for at most 20 s.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

func TestLoneProcessSettles(t *testing.T) {
	t.Parallel()
	s, _, out := processScene(t, "settles", worker.Config{})
	until(t, "the process ends", func() bool { return s.count(worker.LoneEnded) > 0 })
	if e := s.last(worker.LoneEnded); e.Err != nil {
		t.Error(e.Err)
	}
	if e := s.last(worker.LoneStarted); !e.Alone {
		t.Error("not told as alone")
	}
	if got, want := out.String(), `key "\x00bytes\xff", no newline bye`+"\n"; got != want {
		t.Errorf("passed on %q, want %q", got, want)
	}
	s.stop()
}

// Of a process that dies in the handler nobody speaks: the next claim counts the crash.
func TestLoneProcessDies(t *testing.T) {
	t.Parallel()
	s, id, _ := processScene(t, "dies", worker.Config{Lease: 500 * time.Millisecond})
	until(t, "it is started again", func() bool { return s.count(worker.LoneStarted) > 1 })
	if e := s.last(worker.LoneEnded); e.Err == nil || !strings.Contains(e.Err.Error(), "lease runs out") {
		t.Error(e.Err)
	}
	until(t, "it is buried at its cap", func() bool { return s.record(id).State == queue.Dead })
	if rec := s.want(id, queue.Dead, queue.Counts{Crashes: 3}); rec.Reason != queue.ReasonCrashes {
		t.Errorf("reason %q", rec.Reason)
	}
	if n := s.count(worker.LoneStarted); n != 3 {
		t.Errorf("started %d times", n)
	}
	s.stop()
}

// A command that cannot run the job is no fault of the job.
func TestLoneProcessRefuses(t *testing.T) {
	t.Parallel()
	s, id, _ := processScene(t, "refuses", worker.Config{})
	until(t, "it is given back", func() bool { return s.count(worker.Given) > 0 })
	until(t, "that is stored", func() bool { return s.record(id).State == queue.Queued })
	rec := s.want(id, queue.Queued, queue.Counts{Interruptions: 1})
	if d := time.Until(rec.RunAt); d <= 0 || d > time.Second || !rec.Lone {
		t.Errorf("runs in %s, lone %v", d, rec.Lone)
	}
	s.stop()
}

func TestLoneProcessAndShutdown(t *testing.T) {
	t.Parallel()
	for role, ends := range map[string]bool{"obeys": true, "hangs": false} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			s, id, out := processScene(t, role, worker.Config{Grace: 300 * time.Millisecond, Margin: 200 * time.Millisecond})
			until(t, "it begins", func() bool { return strings.Contains(out.String(), "no newline") })
			s.stop()
			e := s.last(worker.LoneEnded)
			if (e.Err == nil) != ends {
				t.Errorf("ended with %v", e.Err)
			}
			if !ends { // its process is known to be gone: an interruption, no crash
				s.want(id, queue.Queued, queue.Counts{Interruptions: 1})
			}
		})
	}
}
