package queuetest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/twicehq/twice/queue"
)

// Options is what a rule asks of the engine it is given.
type Options struct {
	Clock *Clock // give the engine Clock.Now as its clock
}

// Factory makes an empty engine. The rule closes it.
type Factory func(t *testing.T, opt Options) queue.Engine

// Run holds an engine to every rule that its traits and abilities promise, each on an engine of its own.
func Run(t *testing.T, open Factory) {
	var (
		mu     sync.Mutex
		report = Report{Rules: make([]Row, len(Rules()))}
	)
	t.Cleanup(func() { report.save(t) })
	for i, r := range Rules() {
		report.Rules[i] = Row{Name: r.Name, Says: r.Says, Result: Broken}
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			clock := NewClock()
			e := open(t, Options{Clock: clock})
			defer func() { _ = e.Close() }()
			set := func(result Result, lacks string) {
				mu.Lock()
				defer mu.Unlock()
				report.Engine = e.Traits().Name
				report.Rules[i].Result, report.Rules[i].Lacks = result, lacks
			}
			if n := r.lacks(e); n != nil {
				set(n.Else, n.What)
				t.Skipf("%s: it needs %s", n.Else, n.What)
			}
			r.Check(newScene(t, e, clock))
			if !t.Failed() {
				set(Holds, "")
			}
		})
	}
}

// Report is what one engine's run gave.
type Report struct {
	Engine string `json:"engine"`
	Rules  []Row  `json:"rules"`
}

// Row is a rule and what came of it.
type Row struct {
	Name   string `json:"name"`
	Says   string `json:"says"`
	Result Result `json:"result"`
	Lacks  string `json:"lacks,omitempty"`
}

// save writes the report where TWICE_CONFORMANCE says; a relative directory is one of the module.
func (r Report) save(t *testing.T) {
	dir := os.Getenv("TWICE_CONFORMANCE")
	if dir == "" {
		return
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(moduleRoot(t), dir)
	}
	text, err := json.MarshalIndent(r, "", "\t")
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, r.Engine+".json"), append(text, '\n'), 0o644)
	}
	if err != nil {
		t.Errorf("writing the report: %v", err)
	}
}

func moduleRoot(t *testing.T) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
	}
	t.Fatal("no go.mod above the working directory")
	return ""
}
