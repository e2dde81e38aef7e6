package ledger_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

func TestOnceOutsideAHandler(t *testing.T) {
	b, r := newBench(t), newRemote(false)
	_, err := ledger.Once(context.Background(), b, neither(r))
	want(t, "Once", err, queue.ErrInvalid)
	if !strings.Contains(err.Error(), "the context that the handler was given") {
		t.Errorf("%q has no remedy", err)
	}
	_, err = ledger.Within(context.Background(), b.Begin(), "row", func(context.Context) (int, error) { return 0, nil })
	want(t, "Within", err, queue.ErrInvalid)
	r.want(t, 0, 0)
}

func TestOnceReportsEverythingThatIsWrongAtOnce(t *testing.T) {
	b := newBench(t)
	_, err := ledger.Once(b.attempt(), nil, ledger.Effect[chan int]{Step: "a/b", KeyLife: -1, Doubt: 9})
	for _, part := range []string{"store", "Do", "KeyLife", "Doubt", `"a/b"`, "chan int"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not name %s", err, part)
		}
	}
	want(t, "it", err, queue.ErrInvalid)
	want(t, "it", err, ledger.ErrResult)
	_, err = ledger.Within(b.attempt(), b.Begin(), "", func(context.Context) (int, error) { return 0, nil })
	want(t, "Within without a step", err, queue.ErrInvalid)
}

func TestOnceNeverMakesAnEffectAgainForItsResult(t *testing.T) {
	b, calls := newBench(t), 0
	nan := ledger.Effect[float64]{Step: "a", Doubt: ledger.Resend, Do: func(context.Context, string) (float64, error) { calls++; return math.NaN(), nil }}
	for range 3 {
		_, err := ledger.Once(b.attempt(), b, nan)
		want(t, "a result that cannot be encoded", err, ledger.ErrResult)
	}
	b.wantState("a", ledger.Confirmed)

	text := ledger.Effect[string]{Step: "b", Doubt: ledger.Resend, Do: func(context.Context, string) (string, error) { calls++; return "text", nil }}
	if _, err := ledger.Once(b.attempt(), b, text); err != nil {
		t.Fatal(err)
	}
	_, err := ledger.Once(b.attempt(), b, ledger.Effect[int]{Step: "b", Doubt: ledger.Resend, Do: func(context.Context, string) (int, error) { calls++; return 1, nil }})
	want(t, "a type that changed", err, ledger.ErrResult)
	if calls != 2 {
		t.Errorf("%d calls, want one a step", calls)
	}
}

func TestOnceGivesTheSameOnTheFirstAttemptAsOnEveryOther(t *testing.T) {
	type receipt struct {
		At     time.Time
		hidden int
	}
	b := newBench(t)
	e := ledger.Effect[receipt]{Step: "a", Do: func(context.Context, string) (receipt, error) { return receipt{time.Now(), 7}, nil }}
	first, err := ledger.Once(b.attempt(), b, e)
	if err != nil {
		t.Fatal(err)
	}
	second, err := ledger.Once(b.attempt(), b, e)
	if err != nil || first != second {
		t.Errorf("first %+v, then %+v, %v", first, second, err)
	}
}

func TestWithinNeverCommitsAResultThatCannotBeKept(t *testing.T) {
	b := newBench(t)
	_, err := ledger.Within(b.attempt(), b.Begin(), "row", func(context.Context) (float64, error) { return math.Inf(1), nil })
	want(t, "Within", err, ledger.ErrResult)
	b.wantState("row", "")
}
