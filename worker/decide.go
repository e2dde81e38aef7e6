package worker

import (
	"fmt"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/queue"
)

// Ending is how an attempt ended, as the worker saw it.
type Ending struct {
	Outcome     queue.Outcome
	Error       string        // kept with the attempt
	Delay       time.Duration // of OutcomeSnoozed: how long to wait
	Undecodable bool          // of OutcomeFailed: the payload is not of its kind
	InDoubt     bool          // of OutcomeBuried: nobody can tell whether an effect happened
}

// Decide turns the end of an attempt into its settlement. It is pure: now is the engine's clock, random
// a number in [0, 1) that places the next run within its backoff. A cap of n means that the n-th event
// of its sort ends the job. Every other outcome than those a worker can see counts as a failure.
func Decide(lease queue.Lease, end Ending, rules twice.Rules, now time.Time, random float64) queue.Settlement {
	s := queue.Settlement{Lease: lease, Outcome: end.Outcome, Error: end.Error}
	switch end.Outcome {
	case queue.OutcomeDone:
		s.State = queue.Done
	case queue.OutcomeBuried:
		s.State, s.Reason = queue.Dead, queue.ReasonBuried
		if end.InDoubt {
			s.Reason = queue.ReasonDoubt
		}
	case queue.OutcomeSnoozed:
		s.Count = queue.CountSnooze
		again(&s, lease.Counts.Snoozes, rules.Caps.Snoozes, queue.ReasonSnoozes)
		later(&s, now, end.Delay)
	case queue.OutcomeInterrupted:
		s.Count = queue.CountInterruption
		again(&s, lease.Counts.Interruptions, rules.Caps.Interruptions, queue.ReasonInterruptions)
	case queue.OutcomeTimedOut, queue.OutcomePanicked:
		failed(&s, lease, queue.ReasonFailures, rules, now, random)
	default:
		s.Outcome = queue.OutcomeFailed
		reason := queue.ReasonFailures
		if end.Undecodable {
			reason = queue.ReasonUndecodable
		}
		failed(&s, lease, reason, rules, now, random)
	}
	s.Lone = s.State == queue.Queued && suspect(lease.Counts, rules.Caps)
	return s
}

// Begin decides whether a claimed job is run at all (true), or settled at once: one that killed its
// process as often as its cap, or whose deadline has passed, is dead. It is pure; now is the engine's clock.
func Begin(lease queue.Lease, rules twice.Rules, now time.Time) (queue.Settlement, bool) {
	s := queue.Settlement{Lease: lease, State: queue.Dead, Outcome: queue.OutcomeBuried}
	switch {
	case lease.Counts.Crashes >= rules.Caps.Crashes:
		s.Reason = queue.ReasonCrashes
		s.Error = fmt.Sprintf("its lease was lost with no word %d times, the cap is %d: it is not run again", lease.Counts.Crashes, rules.Caps.Crashes)
	case !lease.Job.Deadline.IsZero() && now.After(lease.Job.Deadline):
		s.Reason = queue.ReasonDeadline
		s.Error = fmt.Sprintf("its deadline %s passed %s before it could begin",
			lease.Job.Deadline.UTC().Format(time.RFC3339Nano), now.Sub(lease.Job.Deadline))
	default:
		return queue.Settlement{}, true
	}
	return s, false
}

func failed(s *queue.Settlement, lease queue.Lease, reason queue.Reason, rules twice.Rules, now time.Time, random float64) {
	s.Count = queue.CountFailure
	again(s, lease.Counts.Failures, rules.Caps.Failures, reason)
	later(s, now, Backoff(lease.Counts.Failures+1, rules.BackoffBase, rules.BackoffLimit, random))
}

// again sends the job back, or ends it where this event, after so many before it, is the cap-th.
func again(s *queue.Settlement, before, limit int, reason queue.Reason) {
	s.State = queue.Queued
	if before+1 >= limit {
		s.State, s.Reason = queue.Dead, reason
	}
}

// later sets the next run of a job that goes back. No delay is longer than engines take.
func later(s *queue.Settlement, now time.Time, d time.Duration) {
	if s.State == queue.Queued && d > 0 {
		s.RunAt = now.Add(min(d, longestDelay))
	}
}

// longestDelay leaves room for the difference between two clocks.
const longestDelay = queue.MaxAhead - 24*time.Hour

// suspect reports whether one more crash would bury the job: then it runs with nothing beside it.
func suspect(counts queue.Counts, caps twice.Caps) bool {
	return caps.Crashes >= 2 && counts.Crashes >= caps.Crashes-1
}

// Backoff is the wait before the n-th retry, counted from 1: d = min(limit, base × 4^(n−1)), drawn
// uniformly from [d/2, d] by random, a number in [0, 1). It does not overflow.
func Backoff(n int, base, limit time.Duration, random float64) time.Duration {
	d := min(base, limit)
	for ; n > 1 && d < limit; n-- {
		if d > limit/4 {
			d = limit
		} else {
			d *= 4
		}
		if d <= 0 {
			return 0
		}
	}
	return d/2 + time.Duration(random*float64(d-d/2))
}
