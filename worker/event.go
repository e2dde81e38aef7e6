package worker

import (
	"context"
	"time"

	"github.com/twicehq/twice/queue"
)

// Observer is told of everything that happens in a worker.
type Observer interface {
	// Observe is called in the midst of the work, from many goroutines: it must be quick and must not
	// block. A panic in it is recovered and dropped. ctx carries the job's request and trace ids, where
	// the event is of a job; it must not be kept, nor anything that e points to be changed.
	Observe(ctx context.Context, e Event)
}

// ObserverFunc is a function that observes.
type ObserverFunc func(context.Context, Event)

// Observe calls f.
func (f ObserverFunc) Observe(ctx context.Context, e Event) { f(ctx, e) }

// What says what happened.
type What uint8

const (
	Started     What = iota + 1 // the handler is about to run: Wait
	Ended                       // it returned, or the job was ended without a run: Run, Settlement
	Settled                     // the engine has it
	LeaseLost                   // another claim has the job, or a person cancelled it: Err
	Deaf                        // the handler does not end; its slot is written off: Run, Settlement (none if the lease is lost)
	Heard                       // a deaf handler returned after all; its slot is back
	Claimed                     // N leases came in one trip
	EngineError                 // a call failed and is made again: Call, Err, N in a row
	LedgerError                 // the ledger could not be sealed: Err, N in a row
	Unsettled                   // a settlement was given up; the lease will run out: Err
	Given                       // a job was claimed and given back without a run: Settlement
	LoneStarted                 // a suspect runs: Alone says whether nothing is beside it
	LoneEnded                   // the process of a suspect ended: Err unless in order
	Stalled                     // the claim loop has not moved for long: Run says how long
	Moving                      // it moves again
	Pruned                      // N ended jobs were forgotten
	Draining                    // a shutdown has begun: N attempts under way
	Drained                     // it is over: N attempts had to be left behind
)

var whatNames = [...]string{"", "started", "ended", "settled", "lease_lost", "deaf", "heard", "claimed", "engine_error", "ledger_error",
	"unsettled", "given_back", "lone_started", "lone_ended", "stalled", "moving", "pruned", "draining", "drained"}

func (w What) String() string {
	if int(w) < len(whatNames) && w > 0 {
		return whatNames[w]
	}
	return "unknown"
}

// Event is one thing that happened. Fields beside What, At and Worker are set as What says.
type Event struct {
	What   What
	At     time.Time
	Worker string
	Lease  *queue.Lease // the attempt; nil: the event concerns the worker
	// Settlement is what was decided of the attempt; nil: nothing, since the lease is lost or the handler
	// settled it itself. Its Lease is that of the event.
	Settlement *queue.Settlement
	Outcome    queue.Outcome
	Err        error
	Wait       time.Duration // from when the job was due to its claim; 0 where that is not known
	Run        time.Duration // of the handler
	Call       string        // claim, exchange, settle, extend, announce, prune
	N          int
	Alone      bool
}

// observers tells each in turn.
type observers []Observer

func (all observers) tell(ctx context.Context, e Event) {
	for _, o := range all {
		tell(ctx, o, e)
	}
}

// tell survives an observer that panics: it would take innocent jobs with it.
func tell(ctx context.Context, o Observer, e Event) {
	defer func() { _ = recover() }()
	o.Observe(ctx, e)
}
