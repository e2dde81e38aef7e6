package redis

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/twicehq/twice/internal/redistest"
	"github.com/twicehq/twice/queue"
)

// What is kept of jobs that have ended is bounded by bytes, too: the oldest go, counted, and what might be a repeat of
// them is refused.
func TestEndedIsBoundedByBytes(t *testing.T) {
	t.Parallel()
	const keeps, jobs = 1 << 16 / endedBytes, 600
	now := time.Now().Truncate(time.Millisecond)
	e := openOn(t, redistest.Start(t, redistest.Options{}), Config{EndedBytes: 1 << 16, Now: func() time.Time { return now }})
	ctx := t.Context()
	first := now
	for i := range jobs {
		now = now.Add(time.Millisecond)
		if _, err := e.Enqueue(ctx, queue.Job{Queue: "q", Kind: "k", Key: fmt.Sprint(i), Origin: now}); err != nil {
			t.Fatal(err)
		}
		if errs, err := e.Settle(ctx, queue.Settlement{Lease: taken(t, e, time.Minute), State: queue.Done, Outcome: queue.OutcomeDone}); err != nil || errs[0] != nil {
			t.Fatal(errs, err)
		}
	}
	n, err := e.Prune(ctx, jobs)
	if n != jobs-keeps || err != nil {
		t.Errorf("pruned %d of %d, %v", n, jobs-keeps, err)
	}
	if b, err := e.Audit(ctx); err != nil || b[0].Missing() != 0 || b[0].Pruned != jobs-keeps {
		t.Errorf("%+v, %v", b, err)
	}
	again := func(i int, origin time.Time) queue.Receipt {
		r, err := e.Enqueue(ctx, queue.Job{Queue: "q", Kind: "k", Key: fmt.Sprint(i), Origin: origin})
		if err != nil {
			t.Fatal(err)
		}
		return r[0]
	}
	if r := again(0, first.Add(time.Millisecond)); !errors.Is(r.Err, queue.ErrRefused) {
		t.Errorf("a repeat of one that went: %+v", r)
	}
	if r := again(jobs-1, now); r.Status != queue.Duplicate {
		t.Errorf("a repeat of one that is kept: %+v", r)
	}
	if r := again(jobs, now); r.Status != queue.Accepted {
		t.Errorf("a new one: %+v", r)
	}
	if n, err := e.Prune(ctx, jobs); n != 0 || err != nil {
		t.Errorf("and again %d, %v", n, err)
	}
}

// What ended together stands together, and goes in parts where fewer may go at once, or where some of it must stay.
func TestWhatEndedTogetherGoesInParts(t *testing.T) {
	t.Parallel()
	now := time.Now().Truncate(time.Millisecond)
	e := openOn(t, redistest.Start(t, redistest.Options{}), Config{KeepFor: time.Hour, Now: func() time.Time { return now }})
	ctx := t.Context()
	const jobs = 10
	began := now
	for i := range jobs { // every third is fresh long after the mark that comes
		job := queue.Job{Queue: "q", Kind: "k", Key: fmt.Sprint(i)}
		if i%3 == 2 {
			job.Origin = now.Add(queue.MaxOriginAhead)
		}
		if _, err := e.Enqueue(ctx, job); err != nil {
			t.Fatal(err)
		}
	}
	leases, err := e.Claim(ctx, claimOf(jobs))
	if err != nil || len(leases) != jobs {
		t.Fatal(len(leases), err)
	}
	ends := make([]queue.Settlement, jobs)
	for i, l := range leases {
		ends[i] = queue.Settlement{Lease: l, State: queue.Done, Outcome: queue.OutcomeDone}
	}
	if errs, err := e.Settle(ctx, ends...); err != nil || errors.Join(errs...) != nil {
		t.Fatal(errs, err)
	}
	if items, err := e.client.Do(ctx, e.client.B().Llen().Key(e.key("q", "p")).Build()).AsInt64(); items != 1 || err != nil {
		t.Errorf("%d items hold them, %v", items, err)
	}
	now = began.Add(e.cfg.UniqueFor + time.Minute)
	if err := e.MoveMark(ctx, began.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		what  string
		do    func(context.Context, int) (int, error)
		limit int
		gone  int
	}{{"reap", e.Reap, 4, 3}, {"reap", e.Reap, jobs, 4}, {"reap", e.Reap, jobs, 0}, {"prune", e.Prune, 2, 2}, {"prune", e.Prune, jobs, 1}, {"prune", e.Prune, jobs, 0}} {
		if n, err := step.do(ctx, step.limit); n != step.gone || err != nil {
			t.Errorf("%s of %d: %d went, not %d, %v", step.what, step.limit, n, step.gone, err)
		}
		if b, err := e.Audit(ctx); err != nil || b[0].Missing() != 0 {
			t.Errorf("%+v, %v", b, err)
		}
	}
	if items, err := e.client.Do(ctx, e.client.B().Llen().Key(e.key("q", "p")).Build()).AsInt64(); items != 0 || err != nil {
		t.Errorf("%d items are left, %v", items, err)
	}
}
