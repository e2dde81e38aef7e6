package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/internal/open"
	"github.com/twicehq/twice/queue"
)

// benchIn runs a small bench and gives its JSON, if it has any.
func benchIn(t *testing.T, c benchCmd, engine string) (v benchView, err error) {
	t.Helper()
	var out bytes.Buffer
	m := Main{Stdout: &out, Stderr: t.Output(), Env: func(string) string { return engine }, Terminal: func(any) bool { return false }}
	s := &session{Main: m.complete(), json: true, url: engine}
	err = errors.Join(c.Run(t.Context(), s), s.close())
	if err == nil {
		if err := json.Unmarshal(out.Bytes(), &v); err != nil {
			t.Fatalf("%v\n%s", err, out.String())
		}
	}
	return v, err
}

var smallBench = benchCmd{Runs: 2, Duration: 300 * time.Millisecond, Backlog: 100, Workers: 20}

func TestBenchOfTemporaryFilesLeavesNone(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	c := smallBench
	c.Rest = 100
	v, err := benchIn(t, c, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Scenarios) != 7 || v.Engine != "sqlite" || v.Stays != nil {
		t.Errorf("%+v", v)
	}
	for _, sc := range v.Scenarios {
		if sc.Fsync == nil || sc.Fsync.P50 <= 0 {
			t.Errorf("%s has no probe of the disk beside it", sc.Name)
		}
		for _, f := range sc.Figures {
			if len(f.Values) != 2 || f.Min > f.Median || f.Median > f.Max || (sc.Name != "pickup" && f.Min <= 0) {
				t.Errorf("%s: %+v", sc.Name, f)
			}
		}
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestBenchKeepsOutOfAStoreInUse(t *testing.T) {
	store := "sqlite:" + filepath.Join(t.TempDir(), "orders.db")
	c := smallBench
	c.Only, c.Rest = []string{"drain_rest", "enqueue_64"}, 50
	first, err := benchIn(t, c, store)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range first.Stays {
		if q.Waiting != 0 || q.Done == 0 || !strings.HasPrefix(q.Queue, "bench-") {
			t.Errorf("%+v", q)
		}
	}
	if len(first.Stays) != 2 {
		t.Errorf("%+v", first.Stays)
	}
	engine, err := open.Engine(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	_, err = engine.Enqueue(t.Context(), queue.Job{Queue: "default", Kind: "orders.charge", Key: "o-1"})
	if err := errors.Join(err, engine.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := benchIn(t, c, store); statusOf(err) != exitUsage || !strings.Contains(err.Error(), "jobs in this store") {
		t.Error(err)
	}
	c.YesUseThisStore = true
	if _, err := benchIn(t, c, store); err != nil {
		t.Error(err)
	}
	engine, err = open.Existing(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	look, _ := queue.As[queue.Inspector](engine)
	if d, err := look.Depths(t.Context(), "default"); err != nil || d[0].Queued != 1 {
		t.Errorf("the job of somebody else was touched: %+v, %v", d, err)
	}
}

func TestBenchNamesEveryWrongFlagAtOnce(t *testing.T) {
	c := smallBench
	c.Runs, c.Only = 0, []string{"drain_rest", "drian"}
	_, err := benchIn(t, c, "")
	if statusOf(err) != exitUsage {
		t.Fatal(err)
	}
	for _, text := range []string{"--runs is 0", "drain_rest needs", "no scenario \"drian\""} {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("%v does not say %q", err, text)
		}
	}
}

func TestBenchShowsATable(t *testing.T) {
	var out, errs bytes.Buffer
	m := Main{Stdout: &out, Stderr: &errs, Env: func(string) string { return "memory:" }, Terminal: func(any) bool { return false }}
	s := &session{Main: m.complete(), url: "memory:"}
	c := smallBench
	c.Only = []string{"bulk", "pickup"}
	if err := errors.Join(c.Run(t.Context(), s), s.close()); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"SCENARIO", "jobs/s", "p99 from call (ms)"} {
		if !strings.Contains(out.String(), text) {
			t.Errorf("no %q in\n%s", text, out.String())
		}
	}
	if !strings.Contains(errs.String(), "2 runs of each") {
		t.Error(errs.String())
	}
}
