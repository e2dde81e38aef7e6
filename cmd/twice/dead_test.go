package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// cemetery has four dead jobs: three for failures, of which the last is of another kind, and one in doubt, the first.
func cemetery(t *testing.T) (*rig, []queue.ID) {
	r := newRig(t)
	jobs := charges(3)
	jobs = append(jobs, queue.Job{Queue: "mails", Kind: "mails.send", Key: "m\x00\xff", Payload: []byte("\x00\xfe\n"), Priority: 2, Headers: queue.Headers{"a\xff": "\x01"}})
	ids := r.enqueue(jobs...)
	for _, l := range r.claim() {
		if l.Job.ID == ids[0] {
			r.doubted(l)
		} else {
			r.settle(dead(l, queue.ReasonFailures, "503 from gateway\nstack"))
		}
	}
	return r, ids
}

func TestDeadList(t *testing.T) {
	r, _ := cemetery(t)
	r.run("dead", "list").ends(exitGood).says("503 from gateway", "in_doubt", "failures").lacks("stack")
	r.run("dead", "list", "--kind", "mails.send").ends(exitGood).says(`"m\x00\xff"`).lacks("o-1")
	v := decode[listView](r.run("dead", "list", "--reason", "in_doubt", "--json").ends(exitGood))
	if len(v.Jobs) != 1 || v.Next != "" {
		t.Errorf("list: %+v", v)
	}
}

func TestRedriveByFilterLeavesOutDoubts(t *testing.T) {
	r, ids := cemetery(t)
	r.run("dead", "redrive", "--all", "--dry-run").ends(exitGood).says("3 jobs would be redriven; nothing was changed", "1 job left out: in doubt")
	r.run("dead", "redrive", "--all", "--why", "fixed").ends(exitUsage).says("redrive 3 dead jobs", "nothing was changed", "--yes")
	r.run("dead", "redrive", "--reason", "in_doubt", "--why", "x", "--yes").ends(exitUsage).says("dead resolve")
	if r.state(ids[1]) != queue.Dead {
		t.Fatal("it was changed all the same")
	}
	v := decode[changes](r.run("dead", "redrive", "--queue", "orders", "--why", "fixed", "--yes", "--json").ends(exitGood))
	if v.Matched != 2 || v.Changed != 2 || v.InDoubt != 1 || v.More || v.DryRun || len(v.Refused) != 0 {
		t.Errorf("changes: %+v", v)
	}
	if r.state(ids[0]) != queue.Dead || r.state(ids[1]) != queue.Queued || r.state(ids[3]) != queue.Dead {
		t.Error("redrove something else")
	}
	r.run("audit", "--trail").ends(exitGood).says("redrive", "fixed", "ada")
}

func TestRedriveByID(t *testing.T) {
	r, ids := cemetery(t)
	r.run("dead", "redrive", ids[1].String(), "--why", "fixed").ends(exitGood).says("1 job redriven")
	r.run("dead", "redrive", ids[0].String(), ids[1].String(), ids[2].String(), "--why", "fixed").ends(exitBad).says("1 job redriven", "in doubt", "wrong state")
}

func TestABulkChangeIsBoundedAndAsksAPerson(t *testing.T) {
	r, ids := cemetery(t)
	r.watched = true
	r.stdin = "no\n"
	r.run("dead", "discard", "--all", "--why", "old").ends(exitBad).says("This will discard 3 dead jobs", "nothing was changed")
	r.stdin = ""
	r.run("dead", "discard", "--all", "--why", "old").ends(exitBad)
	r.stdin = "yes\n"
	r.run("dead", "discard", "--all", "--limit", "2", "--why", "old").ends(exitGood).says("2 jobs discarded", "there are more")
	r.run("dead", "discard", "--all", "--why", "old").ends(exitGood).says("1 job discarded")
	if r.state(ids[0]) != queue.Dead || r.state(ids[1]) != queue.Cancelled {
		t.Error("discarded something else")
	}
	r.run("dead", "discard", "--reason", "in_doubt", "--why", "old").ends(exitGood).says("1 job discarded")
}

func TestResolve(t *testing.T) {
	r, ids := cemetery(t)
	id := ids[0].String()
	r.run("dead", "resolve", id, "charge", "--why", "asked").ends(exitUsage).says("--happened or --did-not-happen")
	r.run("dead", "resolve", id, "charge", "--happened", "--did-not-happen", "--why", "asked").ends(exitUsage)
	r.run("dead", "resolve", id, "charge", "--happened", "--result", "{", "--why", "asked").ends(exitUsage).says("not JSON")
	r.run("dead", "resolve", id, "charge", "--did-not-happen", "--result", "{}", "--why", "asked").ends(exitUsage)
	r.run("dead", "resolve", id, "charge", "--happened").ends(exitUsage).says("why")
	r.run("dead", "resolve", id, "nothing", "--happened", "--why", "asked").ends(exitBad).says("not found")
	r.run("dead", "resolve", ids[1].String(), "charge", "--happened", "--why", "asked").ends(exitBad).says("not in doubt")

	r.run("dead", "resolve", id, "charge", "--happened", "--result", `{"charge":"ch_1"}`, "--why", "found it").ends(exitGood).says("the job is redriven")
	entries, err := r.engine.Ledger().Entries(context.Background(), ids[0])
	if err != nil || len(entries) != 1 || entries[0].State != ledger.Confirmed || string(entries[0].Result) != `{"charge":"ch_1"}` || entries[0].Answered.Name != "ada" {
		t.Errorf("entries: %+v, %v", entries, err)
	}
	r.run("job", id).ends(exitGood).says("confirmed", "by ada", "ch_1", "queued")
}

func TestResolveDidNotHappen(t *testing.T) {
	r, ids := cemetery(t)
	v := decode[struct {
		ID       queue.ID
		Step     string
		Happened bool
		Left     []string `json:"doubts_left"`
		Redriven bool
	}](r.run("dead", "resolve", ids[0].String(), "charge", "--did-not-happen", "--why", "asked", "--json").ends(exitGood))
	if v.ID != ids[0] || v.Happened || !v.Redriven || len(v.Left) != 0 {
		t.Errorf("answer: %+v", v)
	}
}

func TestExportAndImportKeepEveryByte(t *testing.T) {
	r, ids := cemetery(t)
	file := filepath.Join(t.TempDir(), "dead.jsonl")
	r.run("dead", "export", "--out", file).ends(exitGood).says("4 dead jobs")
	r.run("dead", "export", "--out", file).ends(exitUsage).says("is there already")
	lines := r.run("dead", "export").ends(exitGood).harmless()
	b, err := os.ReadFile(file)
	if err != nil || string(b) != lines.out || strings.Count(lines.out, "\n") != 4 {
		t.Fatalf("the file is not what stdout gets: %v", err)
	}

	// Where the jobs still are, each is told as a duplicate.
	v := decode[imported](r.run("dead", "import", file, "--yes", "--json").ends(exitGood))
	if v.Read != 4 || v.InDoubt != 1 || v.Accepted != 0 || len(v.Duplicates) != 3 || v.Duplicates[0].State != queue.Dead {
		t.Errorf("import: %+v", v)
	}

	other := newRig(t)
	other.run("dead", "import", file, "--dry-run").ends(exitGood).says("3 jobs would be handed in", "1 job left out: in doubt")
	other.run("dead", "import", file).ends(exitUsage).says("--yes")
	other.run("dead", "import", file, "--yes").ends(exitGood).says("3 jobs accepted (4 lines read)")
	want, _ := r.engine.Job(context.Background(), ids[3])
	got, err := other.engine.Job(context.Background(), ids[3])
	if err != nil {
		t.Fatal(err)
	}
	if got.State != queue.Queued || string(got.Job.Payload) != string(want.Job.Payload) || got.Job.Key != want.Job.Key || got.Job.Headers["a\xff"] != "\x01" ||
		got.Job.Priority != 2 || got.Job.Fingerprint != want.Job.Fingerprint {
		t.Errorf("imported as %+v", got.Job)
	}
	if !got.Job.Origin.Equal(want.EnqueuedAt) {
		t.Errorf("its origin is %s, it was enqueued at %s", got.Job.Origin, want.EnqueuedAt)
	}
}

func TestImportRefusesEffectsThatTheLedgerDoesNotKnow(t *testing.T) {
	r := newRig(t)
	id := r.enqueue(charges(1)...)[0]
	lease := r.claim()[0]
	ctx, try := context.Background(), ledger.Try{ID: ledger.NewTryID(), Lease: lease, Step: "charge"}
	if _, err := r.engine.Ledger().Intend(ctx, try); err != nil {
		t.Fatal(err)
	}
	if err := r.engine.Ledger().Confirm(ctx, try, []byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	r.settle(dead(lease, queue.ReasonFailures, "after the charge"))
	lines := r.run("dead", "export").ends(exitGood).out

	other := newRig(t)
	other.stdin = lines
	other.run("dead", "import", "-", "--yes").ends(exitBad).says("refused", "charge", "ledger", "0 jobs accepted")
	if _, err := other.engine.Job(ctx, id); err == nil {
		t.Error("it was handed in")
	}
	r.stdin = lines
	r.run("dead", "import", "-", "--yes").ends(exitGood).says("duplicate")
}

func TestImportReadsEverythingBeforeItChangesAnything(t *testing.T) {
	r, ids := cemetery(t)
	good := r.run("dead", "export", "--kind", "mails.send").ends(exitGood).out
	other := newRig(t)
	for name, bad := range map[string]string{
		"not JSON":       good + "{",
		"another format": good + `{"twice_dead_letter":2,"id":"` + ids[1].String() + `"}`,
		"no id":          good + `{"twice_dead_letter":1}`,
		"forged id":      good + strings.Replace(good, ids[3].String(), ids[1].String(), 1),
		"too long":       good + strings.Repeat("x", 5<<20),
	} {
		other.stdin = bad
		a := other.run("dead", "import", "-", "--yes").ends(exitUsage).harmless()
		if !strings.Contains(a.err, "line 2") {
			t.Errorf("%s: %s", name, a.err)
		}
		if _, err := other.engine.Job(context.Background(), ids[3]); err == nil {
			t.Errorf("%s: the line before was handed in", name)
		}
	}
	other.stdin = fmt.Sprint(good, good)
	other.run("dead", "import", "-", "--yes", "--limit", "1").ends(exitUsage).says("more than 1 lines")
}
