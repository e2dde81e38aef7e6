package main

import (
	"path/filepath"
	"testing"

	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/outbox"
	"github.com/twicehq/twice/queue"
)

func TestRelay(t *testing.T) {
	box := filepath.Join(t.TempDir(), "box.db")
	e, err := sqlite.Open(box, sqlite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"a", "b", "a"} {
		if _, err := outbox.Into(e, 0).Enqueue(t.Context(), queue.Job{Queue: "q", Kind: "k", Key: key}); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	r := newRig(t)
	r.run("relay", "--once", "--from", "sqlite:"+box).ends(exitGood).says("2 jobs forwarded")
	r.run("relay", "--once", "--from", "sqlite:"+box).ends(exitGood).says("0 jobs forwarded")
	r.run("relay", "--once").ends(exitUsage).says("--from")
	r.run("relay", "--once", "--from", "sqlite:"+box+".none").ends(exitUnreachable).says("no such file")
	if _, err := r.engine.Job(t.Context(), queue.NewID("k", "b")); err != nil {
		t.Error(err)
	}
}
