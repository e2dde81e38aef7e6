// Package peer says what a queue must offer to be measured beside the others.
//
// A peer keeps its whole store in one directory. The suite fills a store once, closes it, copies the
// directory for every run and opens the copy, so that all runs start from the same bytes and all peers
// start equally cold.
package peer

import "context"

// Info names a peer and says how to open it.
type Info struct {
	Name       string // as in -peers
	About      string // product and settings, for the report
	Durability string // what is on the disk when Enqueue returns and when a job counts as done
	Reference  bool   // shown for information: its durability is not comparable
	Workers    []int  // worker counts tried wherever jobs are drained; the best one is reported
	Open       func(ctx context.Context, dir string, mode Mode) (Peer, error)
}

// Mode says what a store is opened for.
type Mode int

const (
	Measured Mode = iota // the durability that Info states
	Filling              // not timed: fsync may be left out until Close
)

// Peer is a queue on one open store. All methods may be called concurrently.
type Peer interface {
	// Enqueue stores job id and returns when it is as durable as Info says.
	Enqueue(ctx context.Context, id int64) error

	// Start starts workers that call ran at the start of each job, which then succeeds at once.
	// stop waits until they have ended and their last completions are stored.
	Start(ctx context.Context, workers int, ran func()) (stop func() error, err error)

	// Pending counts the jobs that workers are still to finish, those at rest not among them. A job
	// whose completion is not stored yet is pending. It is called while the clock runs, so it is cheap.
	Pending(ctx context.Context) (int64, error)

	// Close leaves everything in the store's directory, checkpointed where the store has a log.
	Close() error
}

// Bulker stores many jobs in one call.
type Bulker interface {
	EnqueueBulk(ctx context.Context, ids []int64) error
}

// Colder stores jobs that no worker of Start will touch: another queue, or the far future.
type Colder interface {
	EnqueueCold(ctx context.Context, ids []int64) error
}

// Effecter has handlers whose change to the application's own table and whose completion are one
// transaction.
type Effecter interface {
	// StartEffects is Start with a handler that credits Account(id) once, however often it is
	// delivered, and calls ran when that is committed.
	StartEffects(ctx context.Context, workers int, ran func()) (stop func() error, err error)

	// Effects is the sum of all balances.
	Effects(ctx context.Context) (int64, error)
}
