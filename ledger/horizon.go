package ledger

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/twicehq/twice/queue"
)

// KeepFor is how long effects are remembered, unless configured otherwise.
const KeepFor = 30 * 24 * time.Hour

// Horizon is what can bring one job back, or keep an attempt of it alive: the ledger must remember its
// effects for longer than all of it together. Snoozes and waits are not in it: a job that is still to run is
// never forgotten, and each claim makes it fresh.
type Horizon struct {
	Kind             string        // whose policy this is; for the error
	Timeout          time.Duration // of one run
	LeaseTTL         time.Duration // how long a crash stays unknown
	MaxFailures      int
	MaxCrashes       int
	MaxInterruptions int
	BackoffBase      time.Duration // before the n-th retry: base × 4^(n−1), at most the limit
	BackoffLimit     time.Duration
	Redrive          time.Duration // how late a dead letter is sent back
	Producer         time.Duration // how long a producer repeats a request
	Broker           time.Duration // how long the broker keeps a message (SQS: 14 days)
	CatchUp          time.Duration // how far back schedules make up for missed fires
}

// part is one summand, with its name for people.
type part struct {
	what string
	d    time.Duration
}

func (h Horizon) parts() []part {
	runs := times(h.MaxFailures+h.MaxCrashes+h.MaxInterruptions, h.Timeout)
	return []part{
		{"runs", plus(runs, times(h.MaxCrashes, h.LeaseTTL))},
		{"backoffs", h.backoffs()},
		{"redrive window", h.Redrive},
		{"producers' retries", h.Producer},
		{"the broker's retention", h.Broker},
		{"schedules' catch-up", h.CatchUp},
	}
}

// backoffs is the sum of the longest waits between failures.
func (h Horizon) backoffs() time.Duration {
	var sum time.Duration
	d := h.BackoffBase
	for n := 1; n < h.MaxFailures; n++ {
		d = min(d, h.BackoffLimit)
		if d == h.BackoffLimit || d == 0 {
			return plus(sum, times(h.MaxFailures-n, d))
		}
		sum = plus(sum, d)
		d = times(4, d)
	}
	return sum
}

// Sum is how long after its first run the job may still come back.
func (h Horizon) Sum() time.Duration {
	var sum time.Duration
	for _, p := range h.parts() {
		sum = plus(sum, p.d)
	}
	return sum
}

// Check fails with ErrInvalid where keepFor does not cover the sum, and says the sum and its parts.
func (h Horizon) Check(keepFor time.Duration) error {
	sum := h.Sum()
	if keepFor >= sum {
		return nil
	}
	var parts []string
	for _, p := range h.parts() {
		if p.d > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", p.what, p.d))
		}
	}
	return &queue.Error{Op: "ledger", Subject: h.Kind, Reason: queue.ErrInvalid,
		Detail: fmt.Sprintf("effects are kept for %s, and a job can come back for %s: %s", keepFor, sum, strings.Join(parts, " + ")),
		Remedy: fmt.Sprintf("keep them for at least %s, or lower caps and timeouts", sum)}
}

// plus and times stop at the longest duration instead of wrapping round.
func plus(a, b time.Duration) time.Duration {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func times(n int, d time.Duration) time.Duration {
	if n <= 0 || d <= 0 {
		return 0
	}
	if d > math.MaxInt64/time.Duration(n) {
		return math.MaxInt64
	}
	return time.Duration(n) * d
}
