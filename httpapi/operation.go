package httpapi

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/twicehq/twice/queue"
)

// OperationState says how a change of many jobs stands.
type OperationState string

const (
	OperationRunning OperationState = "running"
	OperationDone    OperationState = "done"    // it went through all that it chose
	OperationStopped OperationState = "stopped" // before its end: Because says why
	OperationFailed  OperationState = "failed"  // before its end: Error says why
)

// Operation is a change of many jobs, and what became of it. What was changed stays changed, also where it ended
// before its end. Operations live in the server's process: those that ended are kept until 100 newer ones have.
type Operation struct {
	ID        string         `json:"id,omitempty"` // empty: it was over when it was answered, and is not kept
	What      string         `json:"what"`         // redrive, discard or cancel
	State     OperationState `json:"state"`
	By        string         `json:"by,omitempty"`
	Why       string         `json:"why,omitempty"`
	DryRun    bool           `json:"dry_run"`
	PerSecond int            `json:"per_second,omitempty"`
	Matched   int            `json:"matched"`           // jobs that were chosen
	InDoubt   int            `json:"left_out_in_doubt"` // jobs that a filter left out, since each needs a person's answer
	More      bool           `json:"more"`              // the limit, or the time, stopped the choice: there are more
	Changed   int            `json:"changed"`
	Refused   int            `json:"refused"`
	Refusals  []Refusal      `json:"refusals"` // the first 100 of those refused; left out in lists
	// Judged counts the redriven of which anything is known: done, dead again, or failed again the same way. Same are
	// those of the last sort.
	Judged    int       `json:"judged,omitempty"`
	Same      int       `json:"same_again,omitempty"`
	Because   string    `json:"because,omitempty"`
	StoppedBy string    `json:"stopped_by,omitempty"` // the person who stopped it
	Error     *Fault    `json:"error,omitempty"`
	StartedAt time.Time `json:"started_at,omitzero"`
	EndedAt   time.Time `json:"ended_at,omitzero"`
}

// Refusal is a job that was not changed, and why.
type Refusal struct {
	ID    queue.ID `json:"id"`
	Error Fault    `json:"error"`
}

// status is 202 while it runs.
func (o Operation) status() int {
	if o.State == OperationRunning {
		return 202
	}
	return 200
}

// operation is one that may run.
type operation struct {
	ctx  context.Context
	stop context.CancelCauseFunc
	now  func() time.Time
	of   Change // as it was asked for

	mu    sync.Mutex
	state Operation
}

func newOperation(id, verb string, by queue.Actor, now func() time.Time) *operation {
	o := &operation{now: now, state: Operation{ID: id, What: verb, State: OperationRunning, By: by.Name, Why: by.Why, Refusals: []Refusal{}, StartedAt: sane(now())}}
	o.ctx, o.stop = context.WithCancelCause(context.Background())
	return o
}

func (o *operation) tell(change func(*Operation)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	change(&o.state)
}

func (o *operation) view() Operation {
	o.mu.Lock()
	defer o.mu.Unlock()
	v := o.state
	v.Refusals = slices.Clone(v.Refusals)
	return v
}

func (o *operation) end(state OperationState, because string, err error) {
	o.tell(func(v *Operation) {
		v.State, v.Because, v.EndedAt = state, because, sane(o.now())
		if err != nil {
			f := faultOf(timed(err, true))
			v.Error = &f
		}
	})
	o.stop(nil)
}

// stopped is the cause with which an operation is stopped.
type stopped struct{ who, because string }

func (s stopped) Error() string { return s.because }

// withCount adds to the reason of a change how many jobs it concerns: each has an audit row of its own.
func withCount(by queue.Actor, verb string, n int, id string) queue.Actor {
	if n > 1 || id != "" {
		by.Why += fmt.Sprintf(" (%s of %d jobs", verb, n)
		if id != "" {
			by.Why += ", operation " + id
		}
		by.Why += ")"
	}
	return by
}

// chunks gives parts of ids, at most n in each.
func chunks(ids []queue.ID, n int) iter.Seq[[]queue.ID] { return slices.Chunk(ids, max(1, n)) }
