package proof_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/twicehq/twice/proof"
)

// told is a test that keeps what it is told.
type told struct {
	testing.TB
	failed bool
	text   string
}

func (t *told) Helper()        {}
func (t *told) Name() string   { return "TestShip/twice" }
func (t *told) Log(a ...any)   { t.text += fmt.Sprintln(a...) }
func (t *told) Error(a ...any) { t.failed = true; t.Log(a...) }
func (t *told) Fatal(a ...any) { t.Error(a...) }

func shipAndMark(y *yard, ctx context.Context, _ job) error {
	if n, err := y.get(ctx, "shipped"); err != nil || n > 0 {
		return err
	}
	if err := y.act(ctx, "ship the parcel", ""); err != nil {
		return err
	}
	return y.put(ctx, "shipped", 1)
}

// What a person reads who has never seen the kit.
func TestFailureText(t *testing.T) {
	seen := &told{TB: t}
	proof.Handler(seen, parcelCase(shipAndMark))
	const want = `parcels.ship is not safe to run twice: the world is not the one of a single run

  What it takes (one crash), step by step; A, B, … are attempts of the one job:
     1  A  begins
     2  A  get shipped: done
     3  A  ship the parcel: done
     4  A  ✗ its process crashes after ship the parcel, before its answer is read
     5  ·  the lease of A runs out with no word, and the job is claimed again
     6  B  begins
     7  B  get shipped: done
     8  B  ship the parcel: done   ← made again
     9  B  put shipped: done
    10  B  answers: done; the job is done

  The calls:
    made twice, not once: ship the parcel (by A in step 3, by B in step 8)

  The world, after one clean run → now:
    ship the parcel: 1 → 2

  Why, and what helps:
    A crash takes the memory of what was done with it. An effect outside goes through ledger.Once, with
    the key that it gives; a change of the own database goes into the transaction that records it
    (ledger.Within).

  Again: TWICE_PROOF_REPLAY='A4:crash' go test -run '^TestShip$/^twice$' .
`
	if got := strings.TrimRight(seen.text, "\n") + "\n"; !seen.failed || got != want {
		t.Errorf("failed: %t\n%s\nwant\n%s", seen.failed, got, want)
	}
}

// A schedule that was printed replays the same, by the environment; another one does not break it.
func TestReplay(t *testing.T) {
	first := prove(t, shipAndMark)
	t.Setenv(proof.ReplayEnv, first.Failure.Schedule)
	seen := &told{TB: t}
	proof.Handler(seen, parcelCase(shipAndMark))
	for _, line := range append(first.Failure.Steps, first.Failure.Calls...) {
		if !strings.Contains(seen.text, line) {
			t.Errorf("%q is not replayed:\n%s", line, seen.text)
		}
	}
	t.Setenv(proof.ReplayEnv, "A1:crash")
	seen = &told{TB: t}
	if proof.Handler(seen, parcelCase(shipAndMark)); seen.failed || !strings.Contains(seen.text, "this schedule does not break it") {
		t.Errorf("a harmless schedule:\n%s", seen.text)
	}
	t.Setenv(proof.ReplayEnv, "A99:crash")
	seen = &told{TB: t}
	if proof.Handler(seen, parcelCase(shipAndMark)); !strings.Contains(seen.text, "did not come to all of its points") {
		t.Errorf("a schedule of another handler:\n%s", seen.text)
	}
	t.Setenv(proof.ReplayEnv, "nonsense")
	seen = &told{TB: t}
	if proof.Handler(seen, parcelCase(shipAndMark)); !seen.failed || !strings.Contains(seen.text, "no move of a schedule") {
		t.Errorf("nonsense:\n%s", seen.text)
	}
}

// The same case gives the same report, and it can be written and read as JSON.
func TestReportIsDeterministic(t *testing.T) {
	report := func(handle func(*yard, context.Context, job) error) string {
		r := prove(t, handle)
		r.Took = 0
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		var back proof.Report
		if err := json.Unmarshal(text, &back); err != nil || back.Explored != r.Explored {
			t.Errorf("read back: %v", err)
		}
		return string(text)
	}
	safe := func(y *yard, ctx context.Context, _ job) error { return y.once(ctx, y.ledger, "act") }
	for _, handle := range []func(*yard, context.Context, job) error{shipAndMark, safe, takesOver} {
		if a, b := report(handle), report(handle); a != b {
			t.Errorf("two reports of one case:\n%s\n%s", a, b)
		}
	}
}
