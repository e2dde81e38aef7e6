package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twicehq/twice/internal/redistest"
	"github.com/twicehq/twice/proof/prove"
)

// The application's handlers are proved on SQLite and, where their guard is removed, found broken; some parts are fought
// besides. It is told as text, as JSON and as a page.
func TestProve(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "proof.html")
	report := decode[prove.Report](newRig(t).run("prove", "--only", "F1,C6,F7,F13,C5", "--once", "--seed", "7", "--html", file, "--json").ends(exitGood))
	want := map[string]prove.Verdict{"F1": prove.Held, "C6": prove.Caught, "F7": prove.LeftOut, "F13": prove.Held, "C5": prove.Caught}
	for _, p := range report.Parts {
		if p.Verdict != want[p.ID] {
			t.Errorf("%s is %s, want %s: %s %q", p.ID, p.Verdict, want[p.ID], p.Why, p.Broken)
		}
	}
	if !report.Holds || !report.Complete || report.Seed != 7 || report.Totals.Schedules < 200 || len(report.Parts) != len(want) {
		t.Errorf("%+v", report)
	}
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"All holds, and every control was caught", "after the last transaction", "second crash", "made twice, not once", "seed", "7"} {
		if !strings.Contains(string(page), text) {
			t.Errorf("the page does not say %q", text)
		}
	}
	for _, text := range []string{"<script", "src=", "href=", "url("} {
		if strings.Contains(string(page), text) {
			t.Errorf("the page holds %q: it is to need nothing else", text)
		}
	}
}

// On Redis the application's jobs rest on the server, and the ledger is beside its tables.
func TestProveOnRedis(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t, redistest.Options{})
	newRig(t).run("prove", "--engine", server.URL(), "--only", "F1,F4", "--once").ends(exitGood).
		says("✓ held", "– left out", "not ours to end", "✓ All holds: 1 rounds")
}

func TestProveMisused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		args   []string
		says   string
	}{
		{exitUsage, []string{"--only", "F99"}, "there is no part"},
		{exitUsage, []string{"--time", "0s"}, "use 1s to 48h"},
		{exitUsage, []string{"--html", "/none/at/all/p.html"}, "cannot be written"},
		{exitUsage, []string{"--engine", "memory:"}, "several processes can share"},
		{exitUnreachable, []string{"--engine", "sqlite:/none/at/all/q.db"}, "make the folder"},
		{exitBad, []string{"--only", "F13,F14", "--time", "1s", "--engine", "redis://127.0.0.1:1/0"}, "failed"},
	} {
		newRig(t).run(append([]string{"prove"}, c.args...)...).ends(c.status).says(c.says)
	}
}
