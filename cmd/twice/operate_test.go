package main

import (
	"context"
	"testing"
	"time"

	"github.com/twicehq/twice/cron"
	"github.com/twicehq/twice/queue"
)

func TestQueueListPauseResume(t *testing.T) {
	r := newRig(t)
	r.run("queue", "list").ends(exitGood).says("No queue yet")
	r.enqueue(charges(2)...)
	r.run("queue", "pause", "oders", "--why", "x").ends(exitBad).says("not found", "there are: orders", "--new")
	r.run("queue", "pause", "orders", "--why", "gateway down").ends(exitGood).says("queue orders is paused")
	r.run("queue", "list").ends(exitGood).says("orders", "paused", "QUEUED", "OLDEST DUE")
	v := decode[[]depthView](r.run("queue", "list", "--json").ends(exitGood))
	if len(v) != 1 || v[0].Queue != "orders" || !v[0].Paused || v[0].Queued != 2 || v[0].Accepted != 2 || v[0].Ready.N != 2 {
		t.Errorf("depths: %+v", v)
	}
	r.run("queue", "resume", "orders", "--why", "it is up").ends(exitGood).says("resumed")
	r.run("queue", "pause", "later", "--new", "--why", "not yet").ends(exitGood)
	r.run("audit", "--trail").ends(exitGood).says("pause", "resume", "gateway down", "it is up")
}

func TestPurgeCancelsWhatWaits(t *testing.T) {
	r := newRig(t)
	ids := r.enqueue(charges(3)...)
	running := r.claim()[0].Job.ID
	more := r.enqueue(queue.Job{Queue: "orders", Kind: "orders.receipt", Key: "a"}, queue.Job{Queue: "orders", Kind: "orders.refund", Key: "a", RunAt: time.Now().Add(time.Hour)})
	r.run("queue", "purge", "orders", "--dry-run").ends(exitGood).says("2 jobs would be cancelled; nothing was changed")
	r.run("queue", "purge", "orders", "--why", "x").ends(exitUsage).says("cancel 2 queued jobs of queue orders", "--yes")
	r.run("queue", "purge", "orders", "--kind", "orders.refund", "--why", "x", "--yes").ends(exitGood).says("1 job cancelled")
	r.run("queue", "purge", "orders", "--why", "x", "--yes").ends(exitGood).says("1 job cancelled")
	r.run("queue", "purge", "orders", "--why", "x", "--yes").ends(exitGood).says("0 jobs cancelled")
	if r.state(running) != queue.Running || r.state(more[0]) != queue.Cancelled || r.state(ids[2]) != queue.Running {
		t.Error("purged something else")
	}
	r.run("queue", "purge", "oders", "--why", "x", "--yes").ends(exitBad).says("not found")
	r.run("audit").ends(exitGood).says("the books balance")
}

func TestSchedules(t *testing.T) {
	r := newRig(t)
	r.run("schedule", "list").ends(exitGood).says("No cron entry")
	ctx := context.Background()
	if err := r.engine.PutSchedule(ctx, queue.Schedule{Name: "reconcile", Spec: "daily 02:30", Zone: "Europe/Berlin", Queue: "orders", Kind: "orders.reconcile"}); err != nil {
		t.Fatal(err)
	}
	r.run("schedule", "pause", "reconcile", "--why", "late").ends(exitGood).says("paused")
	v := decode[[]scheduleView](r.run("schedule", "list", "--json").ends(exitGood))
	if len(v) != 1 || !v[0].Paused || v[0].Zone != "Europe/Berlin" || v[0].Kind != "orders.reconcile" {
		t.Errorf("schedules: %+v", v)
	}
	r.run("schedule", "run", "reconcile").ends(exitUsage).says("--payload")
	r.run("schedule", "run", "nothing", "--payload", "{}").ends(exitBad).says("not found")
	now := time.Now().Truncate(time.Second)
	r.now = func() time.Time { return now }
	r.run("schedule", "run", "reconcile", "--payload", `{"day":1}`).ends(exitGood).says("accepted")
	rec, err := r.engine.Job(ctx, queue.NewID("orders.reconcile", cron.Key("reconcile", now)))
	if err != nil || rec.Job.Queue != "orders" || string(rec.Job.Payload) != `{"day":1}` {
		t.Errorf("it made %+v, %v", rec.Job, err)
	}
	r.run("schedule", "resume", "reconcile", "--why", "there").ends(exitGood).says("resumed")
	r.run("schedule", "resume", "nothing", "--why", "there").ends(exitBad).says("twice schedule list")
}

func TestWorkers(t *testing.T) {
	r := newRig(t)
	r.run("workers").ends(exitGood).says("nothing runs jobs here")
	id := r.enqueue(charges(1)...)[0]
	err := r.engine.Announce(context.Background(), queue.Worker{Name: "host/1", Host: "host", PID: 7, Queues: []string{"a", "b", "c", "d", "e"}, Kinds: []string{"k"}, Slots: 10, Busy: 1, Deaf: 2,
		Running: []queue.Progress{{Job: id, Kind: "k", Attempt: 3, Since: time.Now(), Done: 1, Total: 4}}}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	r.run("workers").ends(exitGood).says("host/1", "live", "a, b, c, and 2 more", id.String(), "1 of 4")
	v := decode[[]workerView](r.run("workers", "--json").ends(exitGood))
	if len(v) != 1 || v[0].Deaf != 2 || len(v[0].Running) != 1 || v[0].Running[0].Total != 4 || len(v[0].Queues) != 5 {
		t.Errorf("workers: %+v", v)
	}
}

// thief is an engine that has lost some jobs.
type thief struct{ kept }

func (e thief) Audit(ctx context.Context) ([]queue.Books, error) {
	books, err := e.Engine.Audit(ctx)
	for i := range books {
		books[i].Found.Queued -= 2
	}
	return books, err
}

func TestAudit(t *testing.T) {
	r := newRig(t)
	r.run("audit").ends(exitGood).says("nothing was ever accepted")
	r.enqueue(charges(3)...)
	r.enqueue(queue.Job{Queue: "mails", Kind: "mails.send", Key: "m"})
	r.run("audit").ends(exitGood).says("accepted 4 = queued 4 + running 0 + done 0 + dead 0 + cancelled 0 + pruned 0: the books balance", "engine memory: none")
	v := decode[auditView](r.run("audit", "--json", "--trail").ends(exitGood))
	if !v.Balanced || v.Total.Accepted != 4 || len(v.Queues) != 2 || v.Engine != "memory" || v.Durability == "" {
		t.Errorf("audit: %+v", v)
	}
	r.opened = thief{kept{r.engine}}
	r.run("audit").ends(exitBad).says("+ missing 4", "do not balance")
	v = decode[auditView](r.run("audit", "--json").ends(exitBad))
	if v.Balanced || v.Total.Missing != 4 || v.Queues[0].Missing != 2 {
		t.Errorf("audit: %+v", v)
	}
	r.opened = miscounting{kept{r.engine}}
	r.run("audit").ends(exitBad).says("the books balance", "BROKEN", "its counts do not add up: 1 of")
	v = decode[auditView](r.run("audit", "--json").ends(exitBad))
	if !v.Balanced || len(v.Broken) != 2 || v.Broken[0].Invariant != "counts" {
		t.Errorf("audit: %+v", v)
	}
}

// miscounting has a job less in its counts than there is.
type miscounting struct{ kept }

func (m miscounting) Depths(ctx context.Context, queues ...string) ([]queue.Depth, error) {
	all, err := m.kept.Depths(ctx, queues...)
	for i := range all {
		all[i].Queued--
	}
	return all, err
}
