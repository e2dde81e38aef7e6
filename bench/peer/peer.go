// Package peer says what a queue must offer to be measured beside the others.
//
// A peer keeps its whole store in one directory. The suite fills a store once, closes it, copies the
// directory for every run and opens the copy, so that all runs start from the same bytes and all peers
// start equally cold.
package peer

import (
	"context"

	"github.com/twicehq/twice/internal/loadtest"
)

// Info names a peer and says how to open it.
type Info struct {
	Name       string // as in -peers
	About      string // product and settings, for the report
	Durability string // what is on the disk when Enqueue returns and when a job counts as done
	Reference  bool   // shown for information: its durability is not comparable
	Workers    []int  // worker counts tried wherever jobs are drained; the best one is reported
	Threads    []int  // values of GOMAXPROCS tried in every scenario, the best one reported; none: as it is
	Open       func(ctx context.Context, dir string, mode Mode) (Peer, error)
}

// Mode says what a store is opened for.
type Mode int

const (
	Measured Mode = iota // the durability that Info states
	Filling              // not timed: fsync may be left out until Close
)

// Peer is a queue on one open store. It may be a [loadtest.Bulker], a [loadtest.Colder] and an [Effecter] too.
// All methods may be called concurrently.
type Peer interface {
	loadtest.Target

	// Close leaves everything in the store's directory, checkpointed where the store has a log.
	Close() error
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
