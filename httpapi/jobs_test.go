package httpapi

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/twicehq/twice/queue"
)

// A job with everything on it, in strange bytes, is handed in and looked up as it is.
func TestJob_bytes_are_bytes(t *testing.T) {
	onEngines(t, func(t *testing.T, r *rig, c *Client) {
		now := time.Now().Truncate(time.Millisecond).UTC()
		job := queue.Job{Queue: "mails", Kind: "mail.send", Key: "\x00\xff<script>", Payload: []byte("\xfe{\"n\":12345678901234567890}\x00"), Fingerprint: 1<<64 - 1,
			Origin: now, RunAt: now.Add(time.Hour), Deadline: now.Add(2 * time.Hour), Timeout: 90 * time.Second, KeepFor: time.Hour, Priority: -9, Group: "g",
			Unique: "u\xff", Parent: queue.NewID("a", "b"), Headers: queue.Headers{"request_id": "r-1", "é": "ü"}}
		receipts, err := c.Enqueue(t.Context(), job)
		if err != nil || receipts[0].Status != queue.Accepted || receipts[0].ID != queue.NewID(job.Kind, job.Key) {
			t.Fatal(receipts, err)
		}
		stored := must[queue.Record](t)(r.engine.(queue.Inspector).Job(t.Context(), receipts[0].ID))
		got := stored.Job
		if got.Key != job.Key || !bytes.Equal(got.Payload, job.Payload) || got.Fingerprint != job.Fingerprint || !got.RunAt.Equal(job.RunAt) || !got.Origin.Equal(job.Origin) ||
			!got.Deadline.Equal(job.Deadline) || got.Timeout != job.Timeout || got.KeepFor != job.KeepFor || got.Priority != job.Priority || got.Group != job.Group ||
			got.Unique != job.Unique || got.Parent != job.Parent || fmt.Sprint(got.Headers) != fmt.Sprint(job.Headers) {
			t.Errorf("%+v\n%+v", got, job)
		}
		for _, look := range []func() (Job, error){
			func() (Job, error) { return c.Job(t.Context(), receipts[0].ID) },
			func() (Job, error) { return c.JobOf(t.Context(), job.Kind, job.Key) },
		} {
			v := must[Job](t)(look())
			if !bytes.Equal(v.KeyBytes(), []byte(job.Key)) || !bytes.Equal(v.PayloadExact(), job.Payload) || v.State != queue.Queued || !slices.Equal(v.Can, []string{"cancel"}) || v.Fingerprint != job.Fingerprint {
				t.Errorf("%+v", v)
			}
		}
		again := must[[]queue.Receipt](t)(c.Enqueue(t.Context(), job))
		if again[0].Status != queue.Duplicate || again[0].Holder != receipts[0].ID || again[0].HolderState != queue.Queued {
			t.Errorf("%+v", again[0])
		}
		job.Fingerprint = 5
		if other := must[[]queue.Receipt](t)(c.Enqueue(t.Context(), job)); other[0].Status != queue.Conflict || !errors.Is(other[0].Err, queue.ErrConflict) {
			t.Errorf("%+v", other[0])
		}
	})
}

// A list is filtered, and gone through page by page, to the last job and none twice.
func TestJobs_lists(t *testing.T) {
	onEngines(t, func(t *testing.T, r *rig, c *Client) {
		var keys []string
		for i := range 250 {
			keys = append(keys, fmt.Sprint(i))
		}
		handIn(t, r.engine, "a", keys...)
		handIn(t, r.engine, "b", "x")
		for _, limit := range []int{0, 1, 7, 100, 101, 1000} {
			if limit == 1 && testing.Short() {
				continue
			}
			seen := map[queue.ID]bool{}
			for j, err := range c.Jobs(t.Context(), queue.Query{Queue: "default", Kind: "a", State: queue.Queued, Limit: limit}) {
				if err != nil || seen[j.ID] || j.Kind != "a" || j.Payload != "" || j.PayloadBytes == 0 {
					t.Fatal(j, err)
				}
				seen[j.ID] = true
			}
			if len(seen) != 250 {
				t.Errorf("limit %d: %d", limit, len(seen))
			}
		}
		page := must[Jobs](t)(c.JobsPage(t.Context(), queue.Query{Kind: "a", Limit: 150}))
		if len(page.Jobs) != 150 || page.Next == "" || page.Jobs[0].Key != "249" {
			t.Errorf("%d %q", len(page.Jobs), page.Next)
		}
		bury(t, r.engine, "b", queue.ReasonBuried, func(queue.Lease) string { return "no" })
		dead := must[Jobs](t)(c.JobsPage(t.Context(), queue.Query{State: queue.Dead, Reason: queue.ReasonBuried}))
		if len(dead.Jobs) != 1 || dead.Jobs[0].Error != "no" || dead.Next != "" {
			t.Errorf("%+v", dead)
		}
		for j := range c.Jobs(t.Context(), queue.Query{Kind: "a", Limit: 10}) { // a reader may go
			_ = j
			break
		}
		if _, err := c.JobsPage(t.Context(), queue.Query{Cursor: "nonsense!"}); !errors.Is(err, queue.ErrInvalid) {
			t.Error(err)
		}
		if _, err := c.Job(t.Context(), queue.NewID("no", "such")); !errors.Is(err, queue.ErrNotFound) {
			t.Error(err)
		}
		if _, err := c.JobOf(t.Context(), "no", "such"); !errors.Is(err, queue.ErrNotFound) {
			t.Error(err)
		}
	})
}

// What happened to a job is told: its attempts, what it died of, its effects, and what can be done.
func TestJob_with_attempts_and_effects(t *testing.T) {
	onEngines(t, func(t *testing.T, r *rig, c *Client) {
		id := handIn(t, r.engine, "charge", "o-1")[0]
		doubtful(t, r.engine, r.api.store, "charge", "pay")
		j := must[Job](t)(c.Job(t.Context(), id))
		if j.State != queue.Dead || j.Reason != queue.ReasonDoubt || len(j.Attempts) != 1 || j.Attempts[0].Outcome != queue.OutcomeBuried || j.Attempts[0].Worker != "w" ||
			len(j.Effects) != 1 || j.Effects[0].Step != "pay" || j.Effects[0].State != "unknown" || !slices.Equal(j.Doubts, []string{"pay"}) || !slices.Equal(j.Can, []string{"resolve", "discard"}) {
			t.Errorf("%+v", j)
		}
		if _, err := c.Redrive(t.Context(), Change{IDs: []queue.ID{id}, Why: because}); err != nil {
			t.Error(err)
		}
		if _, err := c.Redrive(t.Context(), Change{Filter: &Filter{Reason: queue.ReasonDoubt}, Why: because}); !errors.Is(err, queue.ErrInvalid) {
			t.Error(err)
		}
		for name, a := range map[string]Answer{
			"a result of nothing": {Step: "pay", Result: []byte(`1`), Why: because},
			"no reason":           {Step: "pay", Happened: true},
			"a step that is none": {Step: "<b>", Happened: true, Why: because},
			"another's name":      {Step: "pay", Happened: true, Why: Why{Why: "x", Who: "mallory"}},
		} {
			if _, err := c.Resolve(t.Context(), id, a); !errors.Is(err, queue.ErrInvalid) && !errors.Is(err, ErrForbidden) {
				t.Errorf("%s: %v", name, err)
			}
		}
		done := must[Resolved](t)(c.Resolve(t.Context(), id, Answer{Step: "pay", Happened: true, Result: []byte(`{"charge":"c1"}`), Why: because}))
		if !done.Redriven || len(done.Left) != 0 {
			t.Errorf("%+v", done)
		}
		j = must[Job](t)(c.Job(t.Context(), id))
		if j.State != queue.Queued || j.Effects[0].State != "confirmed" || j.Effects[0].Result != `{"charge":"c1"}` || j.Effects[0].AnsweredBy != "alice" {
			t.Errorf("%+v", j)
		}
		if _, err := c.Resolve(t.Context(), id, Answer{Step: "pay", Happened: true, Why: because}); !errors.Is(err, queue.ErrState) {
			t.Errorf("again: %v", err)
		}
	})
}
