package redis

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/internal/redistest"
	"github.com/twicehq/twice/queue"
)

// filled enqueues until there is no room, and gives how many jobs were accepted and the error that said so.
func filled(t *testing.T, e *Engine, payload int) (accepted int, err error) {
	t.Helper()
	for i := range 100_000 {
		receipts, err := e.Enqueue(t.Context(), queue.Job{Queue: "q", Kind: "k", Key: fmt.Sprint(i), Payload: make([]byte, payload)})
		if err != nil {
			return accepted, err
		}
		if receipts[0].Status != queue.Accepted {
			t.Fatalf("%+v", receipts[0])
		}
		accepted++
	}
	return accepted, nil
}

func depth(t *testing.T, e *Engine) queue.Depth {
	t.Helper()
	d, err := e.Depths(t.Context(), "q")
	if err != nil || len(d) != 1 {
		t.Fatal(d, err)
	}
	return d[0]
}

// Where memory has run out, enqueueing fails and stores nothing; what was accepted is claimed, kept and ended all the
// same, and so makes room.
func TestOutOfMemoryWorkIsStillEnded(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t, redistest.Options{MaxMemory: "6mb"})
	e := engine(t, server.URL(), Config{})
	n, err := filled(t, e, 20_000)
	if !errors.Is(err, queue.ErrFull) || errors.Is(err, queue.ErrUnknownOutcome) || !strings.Contains(err.Error(), "maxmemory") {
		t.Fatal(err)
	}
	server.Must("CONFIG", "SET", "maxmemory", "1mb") // and not a byte more
	if got := depth(t, e); got.Accepted != int64(n) || got.Queued != int64(n) {
		t.Errorf("%d were accepted: %+v", n, got)
	}
	e = engine(t, server.URL(), Config{}) // as a worker that starts at that time
	for _, queues := range [][]string{{"q"}, {"q", "another"}} {
		req := claimOf(4)
		req.Queues = queues
		leases, err := e.Claim(t.Context(), req)
		if err != nil || len(leases) != 4 {
			t.Fatal(len(leases), err)
		}
		errs, err := e.Extend(t.Context(), time.Minute, leases...)
		if err != nil || errors.Join(errs...) != nil {
			t.Fatal(errs, err)
		}
		errs, err = e.Settle(t.Context(),
			queue.Settlement{Lease: leases[0], State: queue.Done, Outcome: queue.OutcomeDone},
			queue.Settlement{Lease: leases[1], State: queue.Done, Outcome: queue.OutcomeDone},
			queue.Settlement{Lease: leases[2], State: queue.Queued, Outcome: queue.OutcomeFailed, Count: queue.CountFailure, Error: "no"},
			queue.Settlement{Lease: leases[3], State: queue.Queued, Outcome: queue.OutcomeInterrupted, RunAt: time.Now().Add(time.Hour)})
		if err != nil || errors.Join(errs...) != nil {
			t.Fatal(errs, err)
		}
	}
	server.Must("CONFIG", "SET", "maxmemory", "100mb")
	if got := depth(t, e); got.Accepted != int64(n) || got.Done != 4 || got.Queued != int64(n-4) {
		t.Errorf("%d were accepted: %+v", n, got)
	}
	w := work(t, e, "toil")
	w.goesOn(50)
	w.whole()
}

// Where the disk is full, every call is refused and says so; once there is room work goes on, and nothing that was
// accepted is lost.
func TestAFullDiskIsSaidAndHeals(t *testing.T) {
	redistest.Need(t)
	t.Parallel()
	dir, ballast := smallDisk(t)
	server := redistest.Start(t, redistest.Options{Dir: dir, Persistence: redistest.EverySec, Config: []string{"auto-aof-rewrite-percentage 0"}})
	e := engine(t, server.URL(), Config{})
	n, err := filled(t, e, 20_000)
	if !errors.Is(err, queue.ErrFull) || errors.Is(err, queue.ErrUnknownOutcome) || !strings.Contains(err.Error(), "disk") {
		t.Fatal(err)
	}
	if _, err := e.Claim(t.Context(), claimOf(1)); !errors.Is(err, queue.ErrFull) {
		t.Error("claim:", err)
	}
	if err := e.Ping(t.Context()); !errors.Is(err, queue.ErrFull) {
		t.Error("ping:", err)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	await(t, "the server writes again", func() bool { return e.Ping(context.Background()) == nil })
	w := work(t, e, "toil")
	w.goesOn(50)
	w.whole()
	server.Stop()
	server.Restart()
	if got := depth(t, e); got.Queued != int64(n) {
		t.Errorf("%d were accepted: %+v", n, got)
	}
}

// With an fsync before each answer a full disk ends the server itself. Calls say that it cannot be reached; once there is
// room and it was started again work goes on, and nothing that was accepted is lost.
func TestAFullDiskEndsAServerThatSyncsAlways(t *testing.T) {
	redistest.Need(t)
	t.Parallel()
	dir, ballast := smallDisk(t)
	server := redistest.Start(t, redistest.Options{Dir: dir, Persistence: redistest.Always, Config: []string{"auto-aof-rewrite-percentage 0"}})
	e := engine(t, server.URL(), Config{})
	n, err := filled(t, e, 20_000)
	if !errors.Is(err, queue.ErrUnknownOutcome) && !errors.Is(err, queue.ErrUnavailable) {
		t.Fatal(err)
	}
	await(t, "the server ends, or what this test is about does not happen", func() bool {
		_, err := server.Command("PING")
		return err != nil
	})
	// A connection that the server leaves behind ends with an unknown outcome; a new one is not to be had.
	await(t, "it is said that the server cannot be reached", func() bool {
		err := e.Ping(t.Context())
		return errors.Is(err, queue.ErrUnavailable) && !errors.Is(err, queue.ErrUnknownOutcome)
	})
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	server.Restart()
	await(t, "it answers", func() bool { return e.Ping(context.Background()) == nil })
	if got := depth(t, e); got.Queued < int64(n) {
		t.Errorf("%d were accepted: %+v", n, got)
	}
	w := work(t, e, "toil")
	w.goesOn(50)
	w.whole()
}

// smallDisk makes a file system of 4 MB, of which a file takes three.
func smallDisk(t *testing.T) (dir, ballast string) {
	t.Helper()
	dir = t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", dir).CombinedOutput(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no small file system can be mounted: %v: %s: run the tests as root on Linux", err, out)
		}
		t.Skipf("SKIPPED, A FULL DISK IS NOT TESTED: no small file system can be mounted here: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", dir).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	ballast = filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 3<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, ballast
}
