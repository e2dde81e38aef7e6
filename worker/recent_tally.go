package worker

import (
	"slices"
	"strings"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/queue"
)

func (t *tally) observe(e *Event) {
	if e.What == Started {
		t.begun.Add(1)
		if e.Lease.Counts.Crashes == 0 {
			return
		}
	}
	var signature, text string
	if e.What == Ended || e.What == Deaf {
		if s := e.Settlement; s != nil && hasError(e.Outcome) {
			signature, text = signatureOf(s.Error), s.Error
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch e.What {
	case Started:
		t.told.AfterCrash++
	case LeaseLost:
		t.told.Lost++
	case LoneEnded:
		if e.Err != nil {
			t.told.Crashed++
		}
	default:
		t.ended(e)
		if signature != "" {
			t.failures.add(e.At, e.Lease.Job.ID, signature, text)
		}
	}
}

// ended counts an attempt; what is lost is told by itself.
func (t *tally) ended(e *Event) {
	switch e.Outcome {
	case queue.OutcomeDone:
		t.took[t.told.Done%digest] = e.Run
		t.told.Done++
		t.told.LastDone = e.At
	case queue.OutcomeFailed:
		t.told.Failed++
	case queue.OutcomeTimedOut:
		t.told.TimedOut++
	case queue.OutcomePanicked:
		t.told.Panicked++
	case queue.OutcomeInterrupted:
		t.told.Interrupted++
	case queue.OutcomeSnoozed:
		t.told.Snoozed++
	case queue.OutcomeBuried:
		t.told.Buried++
	}
	if s := e.Settlement; s != nil && s.State == queue.Dead {
		t.told.Dead++
	}
	if e.Outcome != 0 {
		t.told.Run += e.Run
	}
}

// hasError reports whether an attempt that ended so has an error to be told.
func hasError(o queue.Outcome) bool {
	switch o {
	case queue.OutcomeFailed, queue.OutcomeTimedOut, queue.OutcomePanicked, queue.OutcomeBuried:
		return true
	}
	return false
}

func (t *tally) recent(now time.Time) queue.Recent {
	t.mu.Lock()
	told := t.told
	took := slices.Clone(t.took[:min(told.Done, digest)])
	told.Failures, told.Others = t.failures.told(now)
	t.mu.Unlock()
	told.Begun = t.begun.Load()
	if n := len(took); n > 0 {
		slices.Sort(took)
		told.Measured, told.P50, told.P99 = n, took[(n-1)/2], took[(99*n+99)/100-1]
	}
	return told
}

// signatureOf groups errors with their secrets hidden: people see it.
func signatureOf(text string) string {
	line, _, _ := strings.Cut(strings.TrimLeft(text, " \t\r\n"), "\n")
	return queue.Signature(twice.Scrub(line, 1<<10))
}

// sample is an error's text as people see it beside its signature; Scrub says where it cut.
func sample(text string) string { return twice.Scrub(text, queue.MaxSample-len(" … cut")) }
