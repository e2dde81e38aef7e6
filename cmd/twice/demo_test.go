package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twicehq/twice/examples/orders/demo"
	"github.com/twicehq/twice/internal/redistest"
	"github.com/twicehq/twice/proof/campaign"
	"github.com/twicehq/twice/proof/ground"
)

// built is this program as people build it, since the processes of a demo are real: made once for all
// tests, where one needs it.
var built struct {
	folder string
	once   sync.Once
	err    error
}

func TestMain(m *testing.M) {
	campaign.Main(ground.Openers)
	var err error
	if built.folder, err = os.MkdirTemp("", "twice-test-"); err != nil {
		panic(err)
	}
	status := m.Run()
	_ = os.RemoveAll(built.folder)
	os.Exit(status)
}

func program(t *testing.T) string {
	t.Helper()
	path := filepath.Join(built.folder, "twice")
	built.once.Do(func() {
		if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
			built.err = fmt.Errorf("build: %w\n%s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return path
}

// demoAnswer is the demo's JSON as a script reads it.
type demoAnswer struct {
	Holds   bool
	Seconds float64
	Claims  map[string]demo.Claim
	Kept    *keptView
	Error   *fault
}

// playDemo runs a demo by Main.
func playDemo(ctx context.Context, t *testing.T, args ...string) (status int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	m := Main{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Args: append([]string{"demo", "--binary", program(t)}, args...)}
	status = m.Run(ctx)
	return status, stdout.String(), stderr.String()
}

func TestDemo(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	t.Setenv("TWICE_ENGINE", "sqlite:"+filepath.Join(folder, "not-to-be-used.db"))
	status, out, errs := playDemo(t.Context(), t, "--json", "--orders", "200")
	var got demoAnswer
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v: %s%s", err, out, errs)
	}
	names := []string{"consumers_down", "drained", "double_run", "killed", "in_doubt", "frozen", "poison", "killer", "redriven", "books", "told_apart", "control"}
	for _, name := range names {
		c := got.Claims[name]
		t.Logf("%s: %v, %.1f s: %s", name, c.Holds, c.Seconds, c.Saw)
		if !c.Holds || len(c.Checks) == 0 || len(c.Figures) == 0 || c.Did == "" || c.Saw == "" {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if status != exitGood || !got.Holds || len(got.Claims) != len(names) || errs != "" {
		t.Errorf("status %d, holds %v, %d claims, stderr %q", status, got.Holds, len(got.Claims), errs)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// A demo that cannot fail shows nothing. With the ledger taken away the worlds differ, and it says where.
func TestDemoCanFail(t *testing.T) {
	t.Parallel()
	status, out, errs := playDemo(t.Context(), t, "--without-ledger", "--orders", "60", "--seed", "7")
	if status != exitBad {
		t.Errorf("status %d: %s", status, errs)
	}
	for _, text := range []string{"The ledger is taken away", "✗ does not hold", "charges 60 → 120, mails 60 → 120", "claims do not hold", "Control"} {
		if !strings.Contains(out, text) {
			t.Errorf("it does not say %q:\n%s", text, out)
		}
	}
	if strings.Contains(out, "\x1b") {
		t.Error("colours, though nobody looks")
	}
}

// An interrupted demo leaves nothing behind.
func TestDemoInterrupted(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { // once its workers are there
		for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			if found, _ := filepath.Glob(filepath.Join(folder, "*", "shop", "worker-1.log")); len(found) > 0 {
				break
			}
		}
		cancel()
	}()
	if status, out, errs := playDemo(ctx, t); status != exitInterrupted {
		t.Errorf("status %d\n%s%s", status, out, errs)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// Processes that do not come up are claims that do not hold.
func TestDemoWithoutProcesses(t *testing.T) {
	t.Parallel()
	var stdout, stderr bytes.Buffer
	m := Main{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Args: []string{"demo", "--json", "--binary", "false"}}
	status := m.Run(t.Context())
	var got demoAnswer
	if err := json.Unmarshal(stdout.Bytes(), &got); err != nil || status != exitBad || got.Holds || len(got.Claims) != 12 {
		t.Fatalf("status %d, %v: %s%s", status, err, &stdout, &stderr)
	}
	for name, c := range got.Claims {
		if c.Holds {
			t.Errorf("%s holds: %+v", name, c)
		}
	}
}

func TestDemoBadInput(t *testing.T) {
	r := newRig(t)
	r.run("demo", "--orders", "0").ends(exitUsage).says("--orders")
	r.run("demo", "--seed", "x").ends(exitUsage).says("--seed")
	bad := func(url, says string) {
		t.Helper()
		status, out, errs := playDemo(t.Context(), t, "--engine", url)
		answer{t, []string{url}, status, out, errs}.ends(exitUsage).says("why:", "do:", says)
	}
	bad("memory:", "processes of their own")
	used := "sqlite:" + filepath.Join(t.TempDir(), "used.db")
	m := Main{Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}, Args: []string{"enqueue", "k", "x", "--payload", "{}", "--engine", used}}
	if status := m.Run(t.Context()); status != exitGood {
		t.Fatal(status)
	}
	bad(used, "counts everything there is")
}

// The same scenes hold where the jobs are on Redis and the tables in SQLite.
func TestDemoOnRedis(t *testing.T) {
	server := redistest.Start(t, redistest.Options{Persistence: redistest.Always})
	t.Setenv("TMPDIR", t.TempDir())
	status, out, errs := playDemo(t.Context(), t, "--json", "--orders", "60", "--engine", server.URL())
	var got demoAnswer
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v: %s%s", err, out, errs)
	}
	for name, c := range got.Claims {
		t.Logf("%s: %v, %.1f s: %s", name, c.Holds, c.Seconds, c.Saw)
		if !c.Holds {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if status != exitGood || !got.Holds || len(got.Claims) < 11 {
		t.Errorf("status %d, holds %v, %d claims, stderr %q", status, got.Holds, len(got.Claims), errs)
	}
}
