package worker

import (
	"context"
	"slices"

	"github.com/twicehq/twice/queue"
)

// Run is one run of a handler, with the lease as it was claimed. What it returns is the handler's answer.
type Run func(ctx context.Context, lease queue.Lease) error

// Wrap goes around every run of a handler (Config.Wraps): it gives a Run that calls the one it is given, with a
// context made of its own, so that what a trace, a limit or a transaction puts there reaches the handler. It is called
// once for each Handle; what it gives may be called concurrently, in the attempt's own goroutine.
//
// It is part of the handler: its answer is the attempt's, a panic in it is the handler's, and the timeout holds for
// both. It should pass the answer on as it came, a panic too: an error that it wraps keeps its meaning (twice.Bury,
// twice.Snooze), one that it drops makes a failed job done.
type Wrap func(Run) Run

// wrapped puts the wraps around run.
func (c *Config) wrapped(run Run) Run {
	for _, wrap := range slices.Backward(c.Wraps) {
		if wrap != nil { // else Run fails, and says so
			run = wrap(run)
		}
	}
	return run
}
