package main

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/queue"
)

func TestJobsFiltersAndPages(t *testing.T) {
	r := newRig(t)
	r.enqueue(charges(5)...)
	r.enqueue(queue.Job{Queue: "mails", Kind: "mails.send", Key: "m-1", RunAt: time.Now().Add(time.Hour)})
	r.settle(dead(r.claim()[0], queue.ReasonBuried, "no such order"))

	r.run("jobs").ends(exitGood).says("ID", "o-4", "m-1", "(in 60m)", "dead (buried)", "running")
	r.run("jobs", "--queue", "mails").ends(exitGood).says("m-1").lacks("o-1")
	r.run("jobs", "--kind", "orders.charge", "--state", "dead", "--reason", "buried").ends(exitGood).says("dead (buried)").lacks("running")
	r.run("jobs", "--state", "cancelled").ends(exitGood).says("No job matches")

	seen, cursor := map[queue.ID]bool{}, ""
	for range 4 {
		v := decode[listView](r.run("jobs", "--json", "--limit", "2", "--cursor", cursor).ends(exitGood))
		for _, j := range v.Jobs {
			seen[j.ID] = true
		}
		if cursor = v.Next; cursor == "" {
			break
		}
	}
	if len(seen) != 6 || cursor != "" {
		t.Errorf("paged through %d of 6, cursor %q", len(seen), cursor)
	}
	r.run("jobs", "--limit", "2").ends(exitGood).says("add --cursor")
}

func TestJobShowsEverything(t *testing.T) {
	r := newRig(t)
	job := charges(1)[0]
	job.Headers = queue.Headers{"request_id": "r-9"}
	id := r.enqueue(job)[0]
	r.run("job", id.String()).ends(exitGood).says("queued", "o-0", "request_id = r-9", `{"order_id":"o-0"}`, "next", "twice cancel "+id.String())

	lease := r.claim()[0]
	r.run("job", "orders.charge", "o-0").ends(exitGood).says("running", "by w-1", "lease until", "(in 60s)")
	r.settle(queue.Settlement{Lease: lease, State: queue.Queued, Outcome: queue.OutcomeFailed, Count: queue.CountFailure, Error: "503\nstack\n\tline"})
	r.doubted(r.claim()[0])
	r.run("job", id.String()).ends(exitGood).says("dead (in_doubt)", "1 failure", "attempts", "503", "effects", "charge", "unknown",
		fmt.Sprintf("twice dead resolve %s charge --happened", id), fmt.Sprintf("(key %s/charge)", id))
	r.run("dead", "show", id.String()).ends(exitGood).says("dead (in_doubt)")

	v := decode[showView](r.run("job", id.String(), "--json").ends(exitGood))
	if v.State != queue.Dead || v.Reason != queue.ReasonDoubt || len(v.Attempts) != 2 || len(v.Effects) != 1 || v.Effects[0].State != "unknown" || v.Counts.Failures != 1 || len(v.Next) == 0 {
		t.Errorf("job: %+v", v)
	}

	r.run("job", queue.NewID("orders.charge", "o-99").String()).ends(exitBad).says("not found", "--engine")
}

func TestJobSaysThatItsQueueIsPaused(t *testing.T) {
	r := newRig(t)
	id := r.enqueue(charges(1)...)[0]
	r.run("queue", "pause", "orders", "--why", "gateway down").ends(exitGood)
	r.run("job", id.String()).ends(exitGood).says("orders (paused)", "twice queue resume orders")
}

func TestCancel(t *testing.T) {
	r := newRig(t)
	ids := r.enqueue(charges(3)...)
	r.run("cancel", ids[0].String()).ends(exitUsage).says("does not say why", "--why")
	r.run("cancel", ids[0].String(), ids[1].String(), "--why", "withdrawn").ends(exitGood).says("2 jobs cancelled")
	if r.state(ids[0]) != queue.Cancelled || r.state(ids[2]) != queue.Queued {
		t.Error("cancelled something else")
	}
	v := decode[changes](r.run("cancel", ids[0].String(), ids[2].String(), "--why", "again", "--who", "bob", "--json").ends(exitBad))
	if v.Changed != 1 || len(v.Refused) != 1 || v.Refused[0].ID != ids[0] || v.Refused[0].Error.Reason != "wrong_state" {
		t.Errorf("changes: %+v", v)
	}
	r.run("audit", "--trail").ends(exitGood).says("ada", "bob", "withdrawn", "again", "cancel")
}

func TestManyCancelledSideBySideAnswerInOrder(t *testing.T) {
	r := newRig(t)
	ids := r.enqueue(charges(100)...)
	var args []string
	for i, id := range ids {
		if args = append(args, id.String()); i == 50 {
			args = append(args, queue.NewID("orders.charge", "nobody").String())
		}
	}
	v := decode[changes](r.run(append([]string{"cancel", "--json", "--why", "x"}, args...)...).ends(exitBad))
	if v.Changed != 100 || len(v.Refused) != 1 || v.Refused[0].ID != queue.NewID("orders.charge", "nobody") {
		t.Errorf("changes: %+v", v)
	}
}

func TestInterrupted(t *testing.T) {
	r := newRig(t)
	r.enqueue(charges(1)...)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r.runIn(ctx, "jobs").ends(exitInterrupted)
	if a := r.runIn(ctx, "queue", "purge", "orders", "--why", "x", "--yes"); a.status != exitInterrupted || !strings.Contains(a.err, "do:") {
		t.Errorf("%d %s", a.status, a.err)
	}
}
