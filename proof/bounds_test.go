package proof_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/proof"
)

// What a bound cuts short, the report says: never silently.
func TestBoundsAreSaid(t *testing.T) {
	safe := func(y *yard, ctx context.Context, _ job) error { return y.once(ctx, y.ledger, "act") }
	whole := prove(t, safe)
	wantSafe(t, whole)
	for name, c := range map[string]struct {
		limits proof.Limits
		says   string
	}{
		"schedules": {proof.Limits{Schedules: 9}, "cut short at Limits.Schedules = 9"},
		"pairs":     {proof.Limits{Pairs: 5}, "cut short at Limits.Pairs = 5"},
		"time":      {proof.Limits{Time: time.Nanosecond}, "cut short at Limits.Time = 1ns"},
	} {
		r := prove(t, safe, func(k *proof.Case[parcel, *yard]) { k.Limits = c.limits })
		if r.Complete() || r.Explored >= whole.Explored || !strings.Contains(r.String(), c.says) {
			t.Errorf("%s:\n%s", name, r)
		}
		if name == "schedules" && r.Explored != 9 {
			t.Errorf("%d schedules", r.Explored)
		}
	}
}

// A case that cannot be run says everything that is wrong with it.
func TestCaseIsChecked(t *testing.T) {
	_, err := proof.Run(proof.Case[parcel, *yard]{Replay: "?", Limits: proof.Limits{Pairs: -1}})
	for _, says := range []string{"World is missing", "Kind is missing", "Handle is missing", "Observe is missing", "negative", `"?"`} {
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v does not say %q", err, says)
		}
	}
}

// Two clean runs that differ cannot be compared with anything; a handler of which nothing is seen proves nothing.
func TestCleanRuns(t *testing.T) {
	n := 0
	r := prove(t, func(y *yard, ctx context.Context, _ job) error { n++; return y.act(ctx, string(rune('a'+n)), "") })
	if r.Safe || !strings.Contains(r.String(), "Two clean runs must look alike") {
		t.Errorf("another world each time:\n%s", r)
	}
	r = prove(t, func(*yard, context.Context, job) error { return nil })
	if !strings.Contains(r.String(), "no outside call that is seen") {
		t.Errorf("nothing is seen:\n%s", r)
	}
	r = prove(t, func(y *yard, ctx context.Context, _ job) error { return context.Canceled })
	if r.Safe || !strings.Contains(r.String(), "First make a clean run end well") {
		t.Errorf("it never ends well:\n%s", r)
	}
	first := true
	r = prove(t, func(y *yard, ctx context.Context, _ job) error {
		if first = !first; first {
			_ = y.act(ctx, "b", "k")
			return y.act(ctx, "a", "k")
		}
		_ = y.act(ctx, "a", "k")
		return y.act(ctx, "b", "k")
	})
	if !strings.Contains(r.String(), "not deterministic") {
		t.Errorf("another order each time:\n%s", r)
	}
}
