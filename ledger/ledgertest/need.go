package ledgertest

import (
	"context"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// Need is something that a rule asks of a store.
type Need struct {
	What string
	Met  func(ledger.Store) bool
}

// Leasing is what a driver's test adds to a store that shares its engine's database: Lease enqueues the
// job, unless it is there, and claims it anew, so that a lease before is replaced. Without it the store
// stands by itself, and the suite makes leases up.
type Leasing interface {
	Lease(ctx context.Context, job queue.Job) (queue.Lease, error)
}

// Transacting is what a driver's test adds to a store that can join a caller's transaction: Transact runs
// fn in one of its own and commits it if fn returns nil, else rolls back. Where side by side transactions
// wait for one another, it may fail with ErrUnavailable.
type Transacting interface {
	Transact(ctx context.Context, fn func(ledger.Tx) error) error
}

var (
	shares    = Need{"leases of its engine (a shared database)", has[Leasing]}
	beside    = Need{"to stand by itself", func(s ledger.Store) bool { return !has[Leasing](s) }}
	transacts = Need{"a caller's transaction", has[Transacting]}
)

func has[A any](s ledger.Store) bool { _, ok := s.(A); return ok }
