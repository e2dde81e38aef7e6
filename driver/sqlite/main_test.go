package sqlite

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twicehq/twice/queue"
)

var seedFlag = flag.Uint64("seed", 1, "of the power cuts and kills")

// roleOf names, in a process that a test started, what it is to do.
const roleOf = "TWICE_SQLITE_TEST_ROLE"

// roles are what such a process may be: given the file and one more word.
var roles = map[string]func(path, word string, say func(any)) error{
	"load":  load,
	"hold":  hold,
	"rival": rival,
	"open":  tryOpen,
}

func TestMain(m *testing.M) {
	role := roles[os.Getenv(roleOf)]
	if role == nil {
		flag.Parse()
		given := false
		flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
		if underRace && !given {
			_ = flag.Set("rapid.checks", "20") // random histories of the suite
		}
		os.Exit(m.Run())
	}
	out := json.NewEncoder(os.Stdout)
	var mu sync.Mutex
	say := func(v any) {
		mu.Lock()
		defer mu.Unlock()
		if err := out.Encode(v); err != nil {
			os.Exit(3)
		}
	}
	if err := role(os.Args[1], os.Args[2], say); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

// process is another process on the same file.
type process struct {
	*exec.Cmd
	lines *bufio.Scanner
	in    io.WriteCloser
}

func start(t testing.TB, role, path, word string, change ...func(*exec.Cmd)) *process {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", path, word)
	if _, err := os.Stat("/proc/self/exe"); err != nil {
		cmd = exec.Command(os.Args[0], path, word)
	}
	cmd.Env = append(os.Environ(), roleOf+"="+role)
	cmd.Stderr = os.Stderr
	for _, c := range change {
		c(cmd)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{Cmd: cmd, lines: bufio.NewScanner(out), in: in}
	p.lines.Buffer(nil, 1<<20)
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return p
}

// hear reads what the process says next.
func (p *process) hear(v any) bool {
	return p.lines.Scan() && json.Unmarshal(p.lines.Bytes(), v) == nil
}

// part gives a whole number of rounds, or under the race detector a part of it.
func part(whole, underRaceOnly int) int {
	if underRace {
		return underRaceOnly
	}
	return whole
}

// must ends the test on an error other than those allowed.
func must(t testing.TB, err error, allowed ...error) {
	t.Helper()
	if err != nil && !slices.ContainsFunc(allowed, func(a error) bool { return errors.Is(err, a) }) {
		t.Fatal(err)
	}
}

// lines is a log that a test reads.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

func (l *lines) has(t testing.TB, words string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !strings.Contains(l.text.String(), words) {
		t.Errorf("%q is not in the log:\n%s", words, l.text.String())
	}
}

func newPath(t testing.TB) string { return filepath.Join(t.TempDir(), "q.db") }

// open opens a new engine.
func open(t testing.TB, cfg Config) *Engine {
	t.Helper()
	return openAt(t, newPath(t), cfg)
}

func openAt(t testing.TB, path string, cfg Config) *Engine {
	t.Helper()
	e, err := Open(path, cfg)
	must(t, err)
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

var ctx = context.Background()

// silent is for tests that make an engine complain.
var silent = slog.New(slog.DiscardHandler)

var payload = []byte(`{"id":"00000000000000000000000001","tenant":"acme-industries","pad":"xxxxxxxxxxxxxxxxxxxxxxxxxxx"}`)

const (
	testQueue = "default"
	testKind  = "test.noop"
)

func named(key string, change ...func(*queue.Job)) queue.Job {
	j := queue.Job{Queue: testQueue, Kind: testKind, Key: key, Payload: payload}
	for _, c := range change {
		c(&j)
	}
	return j
}

func jobs(from, n int, change ...func(*queue.Job)) []queue.Job {
	out := make([]queue.Job, n)
	for i := range out {
		out[i] = named(fmt.Sprintf("%010d", from+i), change...)
	}
	return out
}

func idOfKey(key string) queue.ID { return queue.NewID(testKind, key) }

func request(n int, change ...func(*queue.Claim)) queue.Claim {
	c := queue.Claim{ID: queue.NewClaimID(), Worker: "w", Queues: []string{testQueue}, Kinds: []string{testKind}, Max: n, TTL: time.Minute}
	for _, f := range change {
		f(&c)
	}
	return c
}

// accept enqueues jobs that must be new.
func accept(t testing.TB, e queue.Enqueuer, all ...queue.Job) {
	t.Helper()
	for part := range slices.Chunk(all, 5000) {
		receipts, err := e.Enqueue(ctx, part...)
		must(t, err)
		for i, r := range receipts {
			if r.Status != queue.Accepted {
				t.Fatalf("enqueue %s: %s, held by one that is %s, %v", part[i].Key, r.Status, r.HolderState, r.Err)
			}
		}
	}
}

func claim(t testing.TB, e *Engine, n int, change ...func(*queue.Claim)) []queue.Lease {
	t.Helper()
	leases, err := e.Claim(ctx, request(n, change...))
	must(t, err)
	return leases
}

// take claims the one job that there is.
func take(t testing.TB, e *Engine, change ...func(*queue.Claim)) queue.Lease {
	t.Helper()
	leases := claim(t, e, 10, change...)
	if len(leases) != 1 {
		t.Fatalf("%d leases, want 1", len(leases))
	}
	return leases[0]
}

func done(l queue.Lease) queue.Settlement {
	return queue.Settlement{Lease: l, State: queue.Done, Outcome: queue.OutcomeDone}
}

func failed(l queue.Lease) queue.Settlement {
	return queue.Settlement{Lease: l, State: queue.Queued, Outcome: queue.OutcomeFailed, Count: queue.CountFailure, Error: "it failed"}
}

func buried(l queue.Lease) queue.Settlement {
	return queue.Settlement{Lease: l, State: queue.Dead, Outcome: queue.OutcomeFailed, Count: queue.CountFailure, Reason: queue.ReasonFailures, Error: "it gave up"}
}

// settle applies settlements, none of which may be refused.
func settle(t testing.TB, e *Engine, ends ...queue.Settlement) {
	t.Helper()
	answers, err := e.Settle(ctx, ends...)
	must(t, err)
	for _, a := range answers {
		must(t, a)
	}
}

// drain claims and ends what is due.
func drain(t testing.TB, e *Engine) (n int) {
	t.Helper()
	for {
		leases := claim(t, e, 1000)
		if len(leases) == 0 {
			return n
		}
		ends := make([]queue.Settlement, len(leases))
		for i, l := range leases {
			ends[i] = done(l)
		}
		settle(t, e, ends...)
		n += len(leases)
	}
}

// balanced holds that the books add up, and that the counts are those of the scan.
func balanced(t testing.TB, e *Engine) queue.Books {
	t.Helper()
	books, err := e.Audit(ctx)
	must(t, err)
	depths, err := e.Depths(ctx)
	must(t, err)
	var of queue.Books
	for i, b := range books {
		d := depths[i]
		if b.Missing() != 0 {
			t.Errorf("the books of %s do not add up: %+v", b.Queue, b)
		}
		if got := (queue.Tally{Queued: d.Queued, Running: d.Running, Done: d.Done, Dead: d.Dead, Cancelled: d.Cancelled}); got != b.Found {
			t.Errorf("counts %+v, by scan %+v", got, b.Found)
		}
		if b.Queue == testQueue {
			of = b
		}
	}
	return of
}

// eventually waits for a condition.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never came: %s", what)
		}
	}
}

// within ends the test where fn does not return: a hang.
func within(t testing.TB, limit time.Duration, what string, fn func()) {
	t.Helper()
	ended := make(chan struct{})
	go func() { defer close(ended); fn() }()
	select {
	case <-ended:
	case <-time.After(limit):
		t.Fatalf("%s hangs", what)
	}
}
