package worker

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/queue"
)

var testRules = twice.Rules{
	Kind: "k", Queue: "q", Timeout: time.Minute, BackoffBase: time.Second, BackoffLimit: time.Hour,
	Caps: twice.Caps{Failures: 8, Crashes: 3, Interruptions: 100, Snoozes: 1000},
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// Every outcome × every count one below, at and above its cap: 9 × 3^4 rows, each compared with the
// rule written out again.
func TestDecideTable(t *testing.T) {
	caps := testRules.Caps
	outcomes := []queue.Outcome{queue.OutcomeDone, queue.OutcomeFailed, queue.OutcomeTimedOut, queue.OutcomePanicked,
		queue.OutcomeCrashed, queue.OutcomeInterrupted, queue.OutcomeSnoozed, queue.OutcomeCancelled, queue.OutcomeBuried}
	rows := 0
	for _, outcome := range outcomes {
		for f := caps.Failures - 2; f <= caps.Failures; f++ {
			for c := caps.Crashes - 2; c <= caps.Crashes; c++ {
				for i := caps.Interruptions - 2; i <= caps.Interruptions; i++ {
					for z := caps.Snoozes - 2; z <= caps.Snoozes; z++ {
						rows++
						lease := queue.Lease{Counts: queue.Counts{Failures: f, Crashes: c, Interruptions: i, Snoozes: z}}
						s := Decide(lease, Ending{Outcome: outcome, Error: "e", Delay: time.Minute}, testRules, noon, 0.5)
						if err := s.Check(); err != nil {
							t.Fatalf("%s %+v: %v", outcome, lease.Counts, err)
						}
						checkRow(t, s, outcome, lease.Counts)
					}
				}
			}
		}
	}
	if rows != 9*81 {
		t.Fatalf("%d rows", rows)
	}
}

func checkRow(t *testing.T, s queue.Settlement, outcome queue.Outcome, n queue.Counts) {
	t.Helper()
	type end struct {
		state  queue.State
		reason queue.Reason
		count  queue.Counter
	}
	capped := func(before, limit int, reason queue.Reason, count queue.Counter) end {
		if before+1 >= limit {
			return end{queue.Dead, reason, count}
		}
		return end{queue.Queued, "", count}
	}
	var want end
	var delay [2]time.Duration
	switch outcome {
	case queue.OutcomeDone:
		want = end{queue.Done, "", queue.CountNothing}
	case queue.OutcomeBuried:
		want = end{queue.Dead, queue.ReasonBuried, queue.CountNothing}
	case queue.OutcomeInterrupted:
		want = capped(n.Interruptions, 100, queue.ReasonInterruptions, queue.CountInterruption)
	case queue.OutcomeSnoozed:
		want, delay = capped(n.Snoozes, 1000, queue.ReasonSnoozes, queue.CountSnooze), [2]time.Duration{time.Minute, time.Minute}
	default:
		want, delay = capped(n.Failures, 8, queue.ReasonFailures, queue.CountFailure), [2]time.Duration{30 * time.Minute, time.Hour}
	}
	if got := (end{s.State, s.Reason, s.Count}); got != want {
		t.Errorf("%s %+v: got %+v, want %+v", outcome, n, got, want)
	}
	if s.State != queue.Queued || delay[1] == 0 {
		if !s.RunAt.IsZero() {
			t.Errorf("%s %+v: runs at %s", outcome, n, s.RunAt)
		}
	} else if d := s.RunAt.Sub(noon); d < delay[0] || d > delay[1] {
		t.Errorf("%s %+v: runs after %s, want %v", outcome, n, d, delay)
	}
	if want := s.State == queue.Queued && n.Crashes >= 2; s.Lone != want {
		t.Errorf("%s %+v: lone %v, want %v", outcome, n, s.Lone, want)
	}
	if s.Error != "e" || s.Outcome == 0 {
		t.Errorf("%s: error %q, outcome %v", outcome, s.Error, s.Outcome)
	}
}

func TestDecideReasons(t *testing.T) {
	last := queue.Lease{Counts: queue.Counts{Failures: 7}}
	for _, row := range []struct {
		name   string
		lease  queue.Lease
		end    Ending
		state  queue.State
		reason queue.Reason
	}{
		{"undecodable below the cap is a failure", queue.Lease{}, Ending{Outcome: queue.OutcomeFailed, Undecodable: true}, queue.Queued, ""},
		{"undecodable at the cap is dead as that", last, Ending{Outcome: queue.OutcomeFailed, Undecodable: true}, queue.Dead, queue.ReasonUndecodable},
		{"in doubt is dead at once", queue.Lease{}, Ending{Outcome: queue.OutcomeBuried, InDoubt: true}, queue.Dead, queue.ReasonDoubt},
		{"a snooze spends no failure", last, Ending{Outcome: queue.OutcomeSnoozed}, queue.Queued, ""},
		{"an interruption spends no failure", last, Ending{Outcome: queue.OutcomeInterrupted}, queue.Queued, ""},
		{"no outcome at all is a failure", last, Ending{}, queue.Dead, queue.ReasonFailures},
	} {
		s := Decide(row.lease, row.end, testRules, noon, 0)
		if s.State != row.state || s.Reason != row.reason || s.Check() != nil {
			t.Errorf("%s: %s %q (%v)", row.name, s.State, s.Reason, s.Check())
		}
	}
}

func TestDecideNeverAsksForMoreThanEnginesTake(t *testing.T) {
	s := Decide(queue.Lease{}, Ending{Outcome: queue.OutcomeSnoozed, Delay: math.MaxInt64}, testRules, noon, 0)
	if d := s.RunAt.Sub(noon); d <= 0 || d >= queue.MaxAhead {
		t.Errorf("snoozed for %s", d)
	}
}

func TestCrashCapOfOneHasNoLoneRuns(t *testing.T) {
	rules := testRules
	rules.Caps.Crashes = 1
	if s := Decide(queue.Lease{}, Ending{Outcome: queue.OutcomeFailed}, rules, noon, 0); s.Lone {
		t.Error("marked lone")
	}
}

func TestBegin(t *testing.T) {
	for crashes := 0; crashes <= 4; crashes++ {
		for _, late := range []time.Duration{-time.Millisecond, 0, time.Millisecond} {
			for _, has := range []bool{false, true} {
				lease := queue.Lease{Counts: queue.Counts{Crashes: crashes}}
				if has {
					lease.Job.Deadline = noon.Add(-late)
				}
				s, run := Begin(lease, testRules, noon)
				var want queue.Reason
				switch {
				case crashes >= 3:
					want = queue.ReasonCrashes
				case has && late > 0:
					want = queue.ReasonDeadline
				}
				name := fmt.Sprintf("crashes %d, deadline %v, late by %s", crashes, has, late)
				if run != (want == "") || s.Reason != want {
					t.Errorf("%s: run %v, reason %q", name, run, s.Reason)
				}
				if !run && (s.Check() != nil || s.Outcome != queue.OutcomeBuried || s.Error == "" || s.Count != queue.CountNothing) {
					t.Errorf("%s: %+v: %v", name, s, s.Check())
				}
			}
		}
	}
}

func TestBackoff(t *testing.T) {
	for _, row := range []struct {
		n           int
		base, limit time.Duration
		want        time.Duration // the upper end
	}{
		{1, time.Second, time.Hour, time.Second},
		{2, time.Second, time.Hour, 4 * time.Second},
		{6, time.Second, time.Hour, 1024 * time.Second},
		{7, time.Second, time.Hour, time.Hour},
		{8, time.Second, time.Hour, time.Hour},
		{math.MaxInt, time.Second, time.Hour, time.Hour},
		{math.MaxInt, 1, math.MaxInt64, math.MaxInt64},
		{64, 3, math.MaxInt64, math.MaxInt64},
		{5, time.Hour, time.Minute, time.Minute},
		{0, time.Second, time.Hour, time.Second},
		{math.MaxInt, 0, time.Hour, 0},
	} {
		low, high := Backoff(row.n, row.base, row.limit, 0), Backoff(row.n, row.base, row.limit, math.Nextafter(1, 0))
		if low != row.want/2 || high > row.want || high < row.want-row.want/1000-1 {
			t.Errorf("Backoff(%d, %s, %s) in [%s, %s], want [%s, %s]", row.n, row.base, row.limit, low, high, row.want/2, row.want)
		}
	}
}
