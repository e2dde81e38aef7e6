package ledger_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

func TestHorizon(t *testing.T) {
	defaults := ledger.Horizon{Kind: "orders.charge", Timeout: 5 * time.Minute, LeaseTTL: 30 * time.Second,
		MaxFailures: 8, MaxCrashes: 3, MaxInterruptions: 100, BackoffBase: time.Second, BackoffLimit: time.Hour}
	backoffs := (1 + 4 + 16 + 64 + 256 + 1024 + 3600) * time.Second
	runs := 111*5*time.Minute + 3*30*time.Second
	if got := defaults.Sum(); got != backoffs+runs {
		t.Errorf("the defaults come to %s, want %s", got, backoffs+runs)
	}
	if err := defaults.Check(ledger.KeepFor); err != nil {
		t.Errorf("the defaults do not fit into the default: %v", err)
	}
	sqs := defaults
	sqs.Broker, sqs.Redrive, sqs.Producer, sqs.CatchUp = 14*24*time.Hour, 14*24*time.Hour, 24*time.Hour, 24*time.Hour
	err := sqs.Check(ledger.KeepFor)
	want(t, "more than 30 days", err, queue.ErrInvalid)
	for _, part := range []string{"orders.charge", sqs.Sum().String(), "720h0m0s", "broker", "336h0m0s", "backoffs 1h22m45s"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not say %q", err, part)
		}
	}
	if err := sqs.Check(sqs.Sum()); err != nil {
		t.Errorf("exactly the sum: %v", err)
	}
}

func TestHorizonNeverWrapsRound(t *testing.T) {
	for _, h := range []ledger.Horizon{
		{MaxFailures: math.MaxInt, BackoffBase: time.Hour, BackoffLimit: math.MaxInt64},
		{MaxFailures: math.MaxInt, Timeout: time.Hour},
		{MaxFailures: 100, BackoffBase: time.Second, BackoffLimit: math.MaxInt64},
		{Redrive: math.MaxInt64, Producer: math.MaxInt64},
	} {
		if got := h.Sum(); got != math.MaxInt64 {
			t.Errorf("%+v comes to %s", h, got)
		}
	}
	if got := (ledger.Horizon{}).Sum(); got != 0 {
		t.Errorf("nothing comes to %s", got)
	}
}
