package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/queue"
)

func TestEnqueueTellsWhatBecameOfIt(t *testing.T) {
	r := newRig(t)
	args := []string{"enqueue", "orders.charge", "o-1", "--queue", "orders", "--header", "request_id=r;1=2", "--payload"}
	id := queue.NewID("orders.charge", "o-1")

	r.run(append(args, `{"order_id": "o-1"}`)...).ends(exitGood).says("accepted", id.String(), "at once", "guarded", "none: jobs live in this process")
	rec, err := r.engine.Job(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(rec.Job.Payload); got != `{"order_id":"o-1"}` {
		t.Errorf("spaces were stored: %s", got)
	}
	if rec.Job.Headers["request_id"] != "r;1=2" || rec.Job.Queue != "orders" {
		t.Errorf("stored as %+v", rec.Job)
	}

	r.run(append(args, `{"order_id":"o-1"}`)...).ends(exitGood).says("duplicate", "queued", "nothing was added")
	r.run(append(args, `{"order_id":"o-2"}`)...).ends(exitBad).says("conflict", `{"order_id":"o-1"} there`, `{"order_id":"o-2"} here`, "do:")

	v := decode[receiptView](r.run(append(args, `{"order_id":"o-1"}`, "--json")...).ends(exitGood))
	if v.Status != queue.Duplicate || v.Holder != id || v.HolderState != "queued" || v.GuardedUntil.IsZero() || v.Durability == "" || v.Error != nil {
		t.Errorf("receipt: %+v", v)
	}
	v = decode[receiptView](r.run(append(args, `{"order_id":"o-2"}`, "--json")...).ends(exitBad))
	if v.Status != queue.Conflict || v.Error == nil || v.Error.Reason != "conflict" {
		t.Errorf("receipt: %+v", v)
	}
}

func TestEnqueueReadsPayloadAndTimes(t *testing.T) {
	r := newRig(t)
	file := filepath.Join(t.TempDir(), "payload.json")
	if err := os.WriteFile(file, []byte("{\n  \"a\": \"<1>\"\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	job := func(key string) queue.Record {
		rec, err := r.engine.Job(context.Background(), queue.NewID("k", key))
		if err != nil {
			t.Fatal(err)
		}
		return rec
	}
	r.run("enqueue", "k", "file", "--payload", "@"+file).ends(exitGood)
	if got := string(job("file").Job.Payload); got != `{"a":"\u003c1\u003e"}` {
		t.Errorf("not as encoding/json writes it: %s", got)
	}
	r.stdin = "\x00\xff"
	r.run("enqueue", "k", "stdin", "--raw", "--payload", "-").ends(exitGood)
	if got := string(job("stdin").Job.Payload); got != "\x00\xff" {
		t.Errorf("raw bytes became %q", got)
	}
	r.run("enqueue", "k", "later", "--payload", "{}", "--in", "90m", "--priority=-3").ends(exitGood).says("(in 90m)")
	if got := job("later"); got.Job.Priority != -3 || time.Until(got.Job.RunAt) < 89*time.Minute {
		t.Errorf("stored as %+v", got.Job)
	}
	at := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	r.run("enqueue", "k", "at", "--payload", "{}", "--at", at, "--origin", time.Now().UTC().Format(time.RFC3339)).ends(exitGood).says(at, "for ever")
	r.run("enqueue", "k", "big", "--payload", `"`+strings.Repeat("x", 5000)+`"`).ends(exitUsage).says("5,002 bytes", "4,096", "claim check")
	r.run("enqueue", "k", "big", "--max-payload", "6000", "--payload", `"`+strings.Repeat("x", 5000)+`"`).ends(exitGood)
}

func TestEnqueueReportsEverythingAtOnce(t *testing.T) {
	r := newRig(t)
	a := r.run("enqueue", "bad kind", "", "--payload", "{", "--at", "2020-01-01T00:00:00Z", "--origin", "soon", "--header", "x", "--priority", "44", "--json").ends(exitUsage)
	f := decode[struct{ Error fault }](a).Error
	if len(f.Problems) != 7 {
		t.Errorf("%d problems: %+v", len(f.Problems), f.Problems)
	}
	if len(r.urls) != 0 {
		t.Error("an engine was opened for it")
	}
}

func TestEnqueueRefusedByTheEngine(t *testing.T) {
	r := newRig(t)
	r.run("enqueue", "k", "x", "--payload", "{}", "--origin", time.Now().Add(time.Hour).UTC().Format(time.RFC3339)).ends(exitBad).says("refused", "ahead", "do:")
}
