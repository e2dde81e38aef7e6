package queue_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/queue"
)

var now = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)

// Ids are stored for ever: they never change, and no two pairs of kind and key run together.
func TestIDs(t *testing.T) {
	if got := queue.NewID("orders.charge", "o-17").String(); got != "7efb4af397c3dde2827f63dffe506966" {
		t.Errorf("id %s", got)
	}
	if queue.NewID("ab", "c") == queue.NewID("a", "bc") {
		t.Error("kind and key run together")
	}
	id := queue.NewID("k", "a\x00\xff")
	back, err := queue.ParseID(id.String())
	if err != nil || back != id {
		t.Error(back, err)
	}
	for _, bad := range []string{"", "xyz", strings.Repeat("g", 32), strings.Repeat("0", 33)} {
		if _, err := queue.ParseID(bad); !errors.Is(err, queue.ErrInvalid) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if queue.FingerprintOf(nil) == 0 {
		t.Error("0 means that a fingerprint is not set")
	}
}

// A lease's id depends on claim, job and token: nobody else's, and no earlier one, is the same.
func TestLeaseIDs(t *testing.T) {
	a, b, job := queue.NewClaimID(), queue.NewClaimID(), queue.NewID("k", "a")
	seen := map[queue.LeaseID]bool{a.Lease(job, 1): true}
	for _, id := range []queue.LeaseID{a.Lease(job, 2), b.Lease(job, 1), a.Lease(queue.NewID("k", "b"), 1)} {
		if seen[id] || id.IsZero() {
			t.Error("two leases are the same")
		}
		seen[id] = true
	}
	if !seen[a.Lease(job, 1)] {
		t.Error("the same claim gives another lease")
	}
}

func TestNames(t *testing.T) {
	for _, good := range []string{"a", "orders.charge", "A-1_b", strings.Repeat("n", queue.MaxName)} {
		if err := queue.CheckName("queue", good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{"", ".a", "-a", "a{b}c", "x:y", "a b", "a/b", "ü", "a\x00", strings.Repeat("n", queue.MaxName+1)} {
		if err := queue.CheckName("queue", bad); !errors.Is(err, queue.ErrInvalid) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestPrepared(t *testing.T) {
	j, err := queue.Job{Queue: "q", Kind: "k", Key: "a", Payload: []byte("p"), RunAt: now.Add(1234567 * time.Nanosecond)}.Prepared(10, now)
	if err != nil || j.ID != queue.NewID("k", "a") || j.Fingerprint != queue.FingerprintOf([]byte("p")) || !j.RunAt.Equal(now.Add(time.Millisecond)) {
		t.Errorf("%+v, %v", j, err)
	}
	_, err = queue.Job{Queue: "a b", Kind: "", Key: strings.Repeat("k", 600), Payload: make([]byte, 11), Priority: 10, Timeout: -1,
		RunAt: time.Unix(5, 0), Deadline: now.Add(queue.MaxAhead * 2), ID: queue.ID{1}, Headers: queue.Headers{"x": strings.Repeat("v", 3000)}}.Prepared(10, now)
	for _, want := range []string{"queue", "kind", "key has 600 bytes", "payload has 11 bytes, the limit is 10", "priority is 10", "negative", "run-at", "deadline", "id is not", "headers"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	if !errors.Is(err, queue.ErrInvalid) || !errors.Is(err, queue.ErrTooLarge) {
		t.Errorf("%v is not both", err)
	}
}

// The words of enumerations are in stores and on pages: each comes back as it was.
func TestWords(t *testing.T) {
	type all struct {
		State   queue.State
		Outcome queue.Outcome
		Status  queue.Status
	}
	for n := uint8(1); n <= 9; n++ {
		in := all{queue.State(min(n, 5)), queue.Outcome(n), queue.Status(min(n, 4))}
		text, err := json.Marshal(in)
		var out all
		if err == nil {
			err = json.Unmarshal(text, &out)
		}
		if err != nil || in != out || strings.Contains(string(text), "unknown") {
			t.Errorf("%s: %v", text, err)
		}
	}
	var s queue.State
	if err := s.UnmarshalText([]byte("paused")); !errors.Is(err, queue.ErrInvalid) {
		t.Error(err)
	}
	if queue.Queued.Ended() || queue.Running.Ended() || !queue.Done.Ended() || !queue.Dead.Ended() || !queue.Cancelled.Ended() {
		t.Error("the wrong states are terminal")
	}
}

func TestSettlementCheck(t *testing.T) {
	good := []queue.Settlement{
		{State: queue.Done, Outcome: queue.OutcomeDone},
		{State: queue.Dead, Outcome: queue.OutcomeFailed, Reason: queue.ReasonFailures, Count: queue.CountFailure},
		{State: queue.Queued, Outcome: queue.OutcomeFailed, Count: queue.CountFailure, RunAt: now, Lone: true},
	}
	for _, s := range good {
		if err := s.Check(); err != nil {
			t.Error(err)
		}
	}
	bad := []queue.Settlement{
		{},
		{State: queue.Running, Outcome: queue.OutcomeDone},
		{State: queue.Dead, Outcome: queue.OutcomeFailed},
		{State: queue.Done, Outcome: queue.OutcomeDone, Reason: queue.ReasonBuried},
		{State: queue.Done, Outcome: queue.OutcomeDone, Count: queue.CountFailure},
		{State: queue.Done, Outcome: queue.OutcomeDone, RunAt: now},
		{State: queue.Dead, Outcome: queue.OutcomeFailed, Reason: queue.ReasonBuried, Lone: true},
		{State: queue.Queued},
	}
	for i, s := range bad {
		if err := s.Check(); !errors.Is(err, queue.ErrInvalid) {
			t.Errorf("%d: %v", i, err)
		}
	}
}

func TestErrorSays(t *testing.T) {
	err := error(&queue.Error{Op: "settle", Subject: "j", Reason: queue.ErrLeaseLost, Cause: queue.ErrCancelled, Remedy: "stop"})
	if got := err.Error(); got != "settle j: lease lost: cancelled (stop)" {
		t.Error(got)
	}
	if !errors.Is(err, queue.ErrLeaseLost) || !errors.Is(err, queue.ErrCancelled) || errors.Is(err, queue.ErrState) {
		t.Error("it matches the wrong reasons")
	}
}

// plain has no ability; paused has one; both wrap.
type plain struct{ queue.Engine }

func (p plain) Unwrap() queue.Engine { return p.Engine }
func (plain) Traits() queue.Traits   { return queue.Traits{Name: "plain"} }

type paused struct{ plain }

func (paused) Pause(context.Context, queue.Actor, string) error  { return nil }
func (paused) Resume(context.Context, queue.Actor, string) error { return nil }

// An ability is found through wrappers, and what nobody has is ErrUnsupported.
func TestAs(t *testing.T) {
	e := plain{plain{paused{}}}
	if _, ok := queue.As[queue.Pauser](e); !ok {
		t.Error("not found below two wrappers")
	}
	if _, err := queue.Need[queue.Inspector](e, "list"); !errors.Is(err, queue.ErrUnsupported) {
		t.Error(err)
	}
}

func TestHolding(t *testing.T) {
	h := &queue.Holding{}
	got, ok := queue.HoldingFrom(queue.WithHolding(t.Context(), h))
	if !ok || got != h || got.Settled() {
		t.Error(got, ok)
	}
	h.MarkSettled()
	if !got.Settled() {
		t.Error("not told")
	}
	if _, ok := queue.HoldingFrom(t.Context()); ok {
		t.Error("outside a handler")
	}
}
