package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"github.com/twicehq/twice/queue"
)

// Each mistake is told with what, why and a remedy, in both forms, and harmlessly.
func TestBadInput(t *testing.T) {
	some, long := queue.NewID("k", "x").String(), strings.Repeat("x", 600)
	for _, c := range []struct {
		line   string
		status int
		says   string
	}{
		{"nonsense", exitUsage, "unexpected argument"},
		{"jobs --nonsense", exitUsage, "unknown flag"},
		{"jobs --limit 0", exitUsage, "--limit is 0"},
		{"jobs --limit 1001", exitUsage, "--limit is 1001"},
		{"jobs --limit many", exitUsage, "limit"},
		{"jobs --state gone", exitUsage, "no state"},
		{"jobs --reason gone", exitUsage, "no reason"},
		{"jobs --queue a/b", exitUsage, "queue"},
		{"jobs --kind \x1b[31m", exitUsage, "kind"},
		{"jobs --cursor !", exitUsage, "cursor"},
		{"job", exitUsage, "<id>"},
		{"job 12", exitUsage, "32 hexadecimal digits"},
		{"job " + strings.Repeat("z", 32), exitUsage, "hexadecimal"},
		{"job " + some, exitBad, "not found"},
		{"job bad/kind key", exitUsage, "kind"},
		{"cancel", exitUsage, "<id>"},
		{"cancel 12 34 --why x", exitUsage, "32 hexadecimal digits"},
		{"cancel " + some + " --why x --who " + long, exitUsage, "the limit is 64"},
		{"dead", exitUsage, "expected one of"},
		{"dead show " + some, exitBad, "not found"},
		{"dead redrive --why x", exitUsage, "which jobs"},
		{"dead redrive " + some + " --all --why x", exitUsage, "a filter as well"},
		{"dead redrive --all --limit 0 --why x", exitUsage, "--limit is 0"},
		{"dead redrive --all --limit 1000001 --why x", exitUsage, "--limit"},
		{"dead discard --all", exitUsage, "does not say why"},
		{"dead resolve " + some + " bad/step --happened --why x", exitUsage, "step"},
		{"dead resolve " + some + " step --happened --why x", exitBad, "not found"},
		{"dead resolve " + some + " step --happened --result @/does/not/exist --why x", exitUsage, "cannot be read"},
		{"dead import /does/not/exist", exitUsage, "cannot be read"},
		{"dead export --out /does/not/exist", exitUsage, "cannot be made"},
		{"queue pause a/b --why x", exitUsage, "queue"},
		{"queue purge nothing --why x", exitBad, "not found"},
		{"schedule pause nothing --why x", exitBad, "not found"},
		{"audit --cursor 3", exitUsage, "--trail"},
		{"enqueue k x", exitUsage, "no payload"},
		{"enqueue k x --payload {}}", exitUsage, "not JSON"},
		{"enqueue k x --payload @/does/not/exist", exitUsage, "cannot be read"},
		{"enqueue k " + long + " --payload {}", exitUsage, "512"},
		{"enqueue k x --payload {} --in -1s", exitUsage, "in"},
		{"enqueue k x --payload {} --in 1s --at 2100-01-01T00:00:00Z", exitUsage, "as well"},
		{"enqueue k x --payload {} --at 2100-01-01T00:00:00Z", exitUsage, "ahead"},
		{"enqueue k x --payload {} --at 1970-01-20T00:00:00Z", exitUsage, "has passed"},
		{"enqueue k x --payload {} --at tomorrow", exitUsage, "with its zone"},
		{"enqueue k x --payload {} --max-payload 0", exitUsage, "--max-payload is 0"},
		{"enqueue k x --payload {} --header a=1 --header a=2", exitUsage, "twice"},
		{"enqueue k x --payload {} --queue ", exitUsage, "queue"},
	} {
		t.Run(c.line, func(t *testing.T) {
			r := newRig(t)
			args := strings.Split(c.line, " ")
			a := r.run(args...).ends(c.status).says("error: ", "  why: ", "  do:  ", c.says).harmless()
			if a.out != "" {
				t.Errorf("stdout: %s", a.out)
			}
			if strings.Contains(a.err, "should not happen") {
				t.Errorf("no remedy: %s", a.err)
			}
			f := decode[struct{ Error fault }](r.run(append(args, "--json")...).ends(c.status).harmless()).Error
			if f.Reason == "" || f.What == "" || f.Remedy == "" || f.Why == "" && len(f.Problems) == 0 {
				t.Errorf("fault: %+v", f)
			}
		})
	}
}

// On a file, with nothing put in place of anything: what one command stores the next finds.
func TestOnAFile(t *testing.T) {
	url := "sqlite:" + filepath.Join(t.TempDir(), "jobs.db")
	run := func(args ...string) answer {
		t.Helper()
		var out, errs strings.Builder
		m := Main{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Args: args, User: func() string { return "ada" },
			Env: func(name string) string { return map[string]string{"TWICE_ENGINE": url}[name] }}
		status := m.Run(context.Background())
		return answer{t, args, status, out.String(), errs.String()}
	}
	run("jobs").ends(exitUnreachable).says("there is no such file", "twice migrate")
	run("migrate").ends(exitGood).says("fsynced", "up to date")
	run("migrate", "--json").ends(exitGood)
	run("enqueue", "orders.charge", "o-1", "--payload", `{"id":1}`).ends(exitGood).says("accepted", "fsynced")
	run("enqueue", "orders.charge", "o-1", "--payload", `{"id":1}`).ends(exitGood).says("duplicate")
	run("enqueue", "orders.charge", "o-1", "--payload", `{"id":2}`).ends(exitBad).says("conflict")
	run("jobs").ends(exitGood).says("o-1")
	run("job", "orders.charge", "o-1").ends(exitGood).says(`{"id":1}`)
	run("queue", "list").ends(exitGood).says("default")
	run("cancel", queue.NewID("orders.charge", "o-1").String(), "--why", "test").ends(exitGood)
	run("audit", "--trail").ends(exitGood).says("cancelled 1", "the books balance", "ada")
	run("workers").ends(exitGood)
	run("schedule", "list").ends(exitGood)
	run("dead", "export").ends(exitGood)
}

func TestMigratePrintOpensNothing(t *testing.T) {
	r := newRig(t)
	r.env["TWICE_ENGINE"] = "sqlite:x.db"
	r.run("migrate", "--print").ends(exitGood).says("CREATE TABLE", "-- step 1")
	v := decode[[]migrationView](r.run("migrate", "--print", "--json").ends(exitGood))
	if len(v) == 0 || v[0].SQL == "" || len(r.urls) != 0 {
		t.Errorf("%d steps, %d opened", len(v), len(r.urls))
	}
	r.run("migrate", "--print", "--engine", "memory:").ends(exitUsage).says("no schema")
}

func TestTheEngineIsNamedByFlagThenEnvironmentThenDefault(t *testing.T) {
	r := newRig(t)
	r.run("jobs").ends(exitGood)
	r.env["TWICE_ENGINE"] = "sqlite:env.db"
	r.run("jobs").ends(exitGood)
	r.run("jobs", "--engine", "sqlite:flag.db").ends(exitGood)
	if got := fmt.Sprint(r.urls); got != "[sqlite:twice.db sqlite:env.db sqlite:flag.db]" {
		t.Errorf("opened %s", got)
	}
}

func TestUnreachable(t *testing.T) {
	junk := filepath.Join(t.TempDir(), "junk.db")
	if err := os.WriteFile(junk, []byte(strings.Repeat("this is no database ", 500)), 0o600); err != nil {
		t.Fatal(err)
	}
	for url, c := range map[string]struct {
		status int
		says   string
	}{
		"sqlite:" + junk:               {exitUnreachable, "not an SQLite database"},
		"sqlite:" + filepath.Dir(junk): {exitUnreachable, "do:"},
		"sqlite:/does/not/exist.db":    {exitUnreachable, "no such file"},
		"redis://u:secret@127.0.0.1:1": {exitUnreachable, "is the server running"},
		"postgres://u:secret@host/db":  {exitUsage, "not in this version"},
		"elsewhere":                    {exitUsage, "sqlite:elsewhere"},
	} {
		var out, errs strings.Builder
		status := Main{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Args: []string{"jobs", "--engine", url}, Env: func(string) string { return "" }}.Run(context.Background())
		answer{t, []string{url}, status, out.String(), errs.String()}.ends(c.status).says(c.says, "why:", "do:").lacks("secret")
	}
}

func TestHelpTeaches(t *testing.T) {
	r := newRig(t)
	r.run().ends(exitGood).says("Usage: twice", "Exit status")
	parser, err := kong.New(&commands{}, style(Main{}.complete())...)
	if err != nil {
		t.Fatal(err)
	}
	for _, leaf := range parser.Model.Leaves(true) {
		name := leaf.Path()
		if !strings.HasPrefix(leaf.Detail, "Use it ") || !strings.Contains(leaf.Detail, "\n    twice "+strings.TrimPrefix(name, "twice ")) {
			t.Errorf("%s: its help lacks a sentence on when to use it, or an example: %q", name, leaf.Detail)
		}
		r.run(append(strings.Fields(name), "--help")...).ends(exitGood).says("Use it ", "--engine", "--json")
	}
}

func TestVersion(t *testing.T) {
	r := newRig(t)
	r.run("version").ends(exitGood).says("twice ", "go1.")
	if v := decode[versionView](r.run("version", "--json").ends(exitGood)); v.Version == "" || v.Go == "" || len(r.urls) != 0 {
		t.Errorf("version: %+v", v)
	}
}

// What others wrote never reaches a terminal as more than text.
func TestHostileTexts(t *testing.T) {
	const evil = "\x1b]0;owned\x07\x1b[31mred\u009b2J\u202eabc\u200b\x00\xff\r\n"
	r := newRig(t)
	ids := r.enqueue(
		queue.Job{Queue: "q", Kind: "k", Key: evil + "1", Payload: []byte(evil), Headers: queue.Headers{evil: evil}},
		queue.Job{Queue: "q", Kind: "k", Key: evil + "2", Payload: []byte(`"` + "\u202e" + `"`)})
	for _, l := range r.claim() {
		if l.Job.ID == ids[0] {
			r.settle(dead(l, queue.ReasonFailures, evil+"\n"+evil))
		}
	}
	ctx := context.Background()
	if err := r.engine.Announce(ctx, queue.Worker{Name: evil, Host: evil, Version: evil, Queues: []string{evil}, Kinds: []string{evil}, Running: []queue.Progress{{Job: ids[1], Kind: evil}}}, time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := r.engine.PutSchedule(ctx, queue.Schedule{Name: "n", Spec: evil, Zone: evil, Queue: evil, Kind: evil}); err != nil {
		t.Fatal(err)
	}
	r.run("cancel", ids[1].String(), "--why", evil, "--who", "e"+evil).ends(exitGood)
	for _, line := range []string{"jobs", "dead list", "dead export", "queue list", "workers", "schedule list", "audit --trail", "job " + ids[0].String(), "job " + ids[1].String(), "dead show " + ids[0].String()} {
		args := strings.Fields(line)
		r.run(args...).ends(exitGood).harmless()
		r.run(append(args, "--json")...).ends(exitGood).harmless()
	}
	r.run("enqueue", "k", evil+"1", "--payload", "{}").ends(exitBad).harmless().says("conflict")
	r.run("job", evil).ends(exitUsage).harmless()
	r.run("jobs", "--engine", evil).harmless()
	v := decode[listView](r.run("jobs", "--json", "--state", "dead"))
	if string(v.Jobs[0].KeyBase64) != evil+"1" || string(v.Jobs[0].PayloadBase64) != evil {
		t.Errorf("bytes were lost: %+v", v.Jobs[0])
	}
}

func TestColoursOnlyForAPerson(t *testing.T) {
	r := newRig(t)
	r.enqueue(charges(1)...)
	r.run("jobs").ends(exitGood).lacks("\x1b")
	r.watched = true
	r.run("jobs").ends(exitGood).says("\x1b[1mID\x1b[0m")
	r.run("jobs", "--json").ends(exitGood).lacks("\x1b")
	r.env["NO_COLOR"] = "1"
	r.run("jobs").ends(exitGood).lacks("\x1b")
	r.run("jobs", "--limit", "0").ends(exitUsage).lacks("\x1b")
}

// slow is an engine whose audit takes its time.
type slow struct {
	kept
	begun chan struct{}
}

func (e slow) Audit(ctx context.Context) ([]queue.Books, error) {
	<-e.begun
	return e.Engine.Audit(ctx)
}

// watch tells when something was first written.
type watch struct {
	strings.Builder
	once  sync.Once
	begun chan struct{}
}

func (w *watch) Write(b []byte) (int, error) {
	w.once.Do(func() { close(w.begun) })
	return w.Builder.Write(b)
}

func TestProgressShowsWhereAPersonWaits(t *testing.T) {
	r := newRig(t)
	r.enqueue(charges(3)...)
	w := &watch{begun: make(chan struct{})}
	var out strings.Builder
	m := Main{Stdin: strings.NewReader(""), Stdout: &out, Stderr: w, Args: []string{"audit"}, Env: func(string) string { return "" }, Patience: time.Millisecond,
		Terminal: func(stream any) bool { return stream == w },
		Open:     func(context.Context, string, bool) (queue.Engine, error) { return slow{kept{r.engine}, w.begun}, nil }}
	if status := m.Run(context.Background()); status != exitGood {
		t.Fatal(status, w.String())
	}
	if !strings.Contains(w.String(), "counting [") || !strings.Contains(w.String(), "\r\x1b[K\x1b[2mengine") {
		t.Errorf("stderr: %q", w.String())
	}
	if strings.Contains(out.String(), "\x1b") {
		t.Errorf("stdout: %q", out.String())
	}
}
