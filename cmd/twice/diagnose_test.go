package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/diagnose"
	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/queue"
)

// aged is a rig whose engine's clock is moved by hand.
func aged(t *testing.T) (*rig, *time.Time) {
	now := time.Now()
	e, err := memory.New(memory.Config{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	r := newRig(t)
	r.engine, r.opened = e, kept{e}
	return r, &now
}

func enqueue(t *testing.T, e queue.Engine, jobs ...queue.Job) {
	t.Helper()
	receipts, err := e.Enqueue(t.Context(), jobs...)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range receipts {
		if r.Err != nil {
			t.Fatal(r.Err)
		}
	}
}

// What needs a person comes first, with its evidence and what to do, and ends with 1; when all is well it ends with 0.
func TestDiagnose(t *testing.T) {
	t.Parallel()
	r, now := aged(t)
	r.run("diagnose", "--for", "1s").ends(exitGood).says("No queue yet")
	enqueue(t, r.engine, queue.Job{Queue: "a-calm", Kind: "k", Key: "1", RunAt: now.Add(time.Hour)}, queue.Job{Queue: "late", Kind: "mails", Key: "1"})
	*now = now.Add(2 * time.Minute)
	late := r.run("diagnose", "--for", "1s").ends(exitBad).says("late  no consumer", "Nobody serves this queue", "Do: Start a worker", "docs/runbooks/no_consumer.md", "a-calm  idle")
	if strings.Index(late.out, "late") > strings.Index(late.out, "a-calm") {
		t.Error("what is well comes first:\n" + late.out)
	}
	r.run("diagnose", "a-calm", "--for", "1s").ends(exitGood)
	var found []diagnose.Finding
	if err := json.Unmarshal([]byte(r.run("diagnose", "--for", "1s", "--json").ends(exitBad).out), &found); err != nil || len(found) != 2 || found[0].Verdict != diagnose.NoConsumer {
		t.Errorf("%+v %v", found, err)
	}
	r.run("diagnose", "--for", "0s").ends(exitUsage).says("--for")
	r.run("diagnose", "a b").ends(exitUsage)
	r.run("top", "--every", "500ms").ends(exitBad).says("QUEUE", "no consumer", "idle")
	r.run("top", "--every", "1ms").ends(exitUsage).says("--every")
}

// What others name and write reaches the terminal without control characters.
func TestDiagnoseShowsNothingThatMovesTheCursor(t *testing.T) {
	t.Parallel()
	s := &session{Main: Main{}.complete()}
	var out strings.Builder
	s.Stdout, s.Stderr = &out, &out
	s.Terminal = func(any) bool { return false }
	bad := "\x1b[2J\u202e\x00"
	err := printFindings(s, []diagnose.Finding{{Queue: "q" + bad, Verdict: diagnose.Poison, Says: bad, Do: bad, Change: bad, Runbook: bad,
		Evidence: []diagnose.Evidence{{Name: bad, Text: bad, Unit: "jobs", Workers: []string{bad}, Jobs: []queue.ID{{1}}}}}})
	if err != nil || strings.ContainsAny(out.String(), "\x1b\x00\u202e") {
		t.Errorf("%v %q", err, out.String())
	}
}

func TestKeysAreReadAsTerminalsWriteThem(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]key{
		"\x1b[A\x1b[B": {keyUp, keyDown}, "jk\r": {keyDown, keyUp, keyEnter}, "\x1b": {keyBack}, "\x1bOA": {keyUp}, "\x7f": {keyBack},
		"\x1b[15~q": {keyQuit}, "\x03": {keyQuit}, "xyz\u00e9": nil, "\x1b[6~ ": {keyPageDown, keyPageDown},
	} {
		var got []key
		for rest := []byte(text); len(rest) > 0; {
			var k key
			if k, rest = nextKey(rest); k != keyNone {
				got = append(got, k)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%q: %v, want %v", text, got, want)
			continue
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%q: %v, want %v", text, got, want)
			}
		}
	}
}

// A person goes from all queues into one, into a job of it, and back; no line is wider than the terminal, and the chosen
// one is always seen.
func TestTop(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for i := range 40 {
		enqueue(t, r.engine, queue.Job{Queue: "q" + string(rune('a'+i%20)), Kind: "a-kind-with-a-rather-long-name", Key: strings.Repeat("é", i+1), Payload: []byte(`{"text":"` + strings.Repeat("long ", 40) + `"}`)})
	}
	s := &session{Main: Main{}.complete(), opened: r.opened}
	s.Env = func(string) string { return "" }
	s.Terminal = func(any) bool { return true }
	v := &top{s: s, engine: r.opened, look: r.engine, every: time.Second, watch: diagnose.NewWatch(r.opened, diagnose.Config{}), way: []place{{}}, width: 44, height: 12}
	look := func() { v.shown = v.see(t.Context(), v.way[len(v.way)-1]) }
	check := func(what string, chosen string) {
		t.Helper()
		frame := v.frame()
		for _, line := range strings.Split(frame, "\r\n") {
			if n := visible(strings.NewReplacer("\x1b[H", "", "\x1b[K", "", "\x1b[J", "").Replace(line)); n > v.width {
				t.Errorf("%s: a line of %d characters on %d: %q", what, n, v.width, line)
			}
		}
		if n := strings.Count(frame, "\r\n"); n != v.height-1 {
			t.Errorf("%s: %d lines on %d", what, n+1, v.height)
		}
		_, after, found := strings.Cut(frame, "\x1b[7m")
		if chosen != "" && (!found || !strings.HasPrefix(after, chosen)) {
			t.Errorf("%s: chosen is not %s:\n%s", what, chosen, frame)
		}
	}
	look()
	check("overview", "qa")
	for range 17 {
		v.press(keyDown)
		check("going down", "")
	}
	check("far down", "qr")
	if !v.press(keyEnter) {
		t.Fatal("it does not look into a queue")
	}
	look()
	check("queue", v.shown.lines[len(v.shown.lines)-2][:8])
	if !v.press(keyEnter) {
		t.Fatal("it does not look into a job")
	}
	look()
	check("job", "")
	if at := v.way[len(v.way)-1]; at.job.IsZero() || !strings.Contains(v.frame(), "job "+at.job.String()[:8]) {
		t.Error(v.frame())
	}
	for range 100 {
		v.press(keyPageDown)
	}
	check("the end of a job", "")
	for i, goes := range []bool{true, true, false} {
		if v.press(keyBack) != goes {
			t.Errorf("back for the %d. time: it must go back to where it began, and no further", i+1)
		}
	}
	look()
	check("and back", "qr")
}
