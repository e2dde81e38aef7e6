package queue

import (
	"context"
	"time"
)

// Engine stores jobs and leases them to workers, at least once each.
//
// All methods may be called concurrently. Each is one round trip for a whole batch. Each may be
// repeated safely when its reply was lost: then the first call's effect stands and is answered again.
// An error that is ErrUnknownOutcome, or the context's own, says that the call may have been carried out;
// after any other error nothing was changed. After it returned, an engine reads its arguments no more, but
// for an unknown outcome.
type Engine interface {
	Enqueuer

	// Claim leases up to req.Max jobs that are due and that nobody holds, of the queues and kinds asked
	// for: higher priority first, then the one due longest. It waits up to req.Wait for the first.
	// Jobs whose lease ran out are due: there is no janitor. So are jobs past their deadline or at their crash cap:
	// the worker ends them. No lease and no error: nothing was due. ErrInvalid without an id, a queue and a
	// kind, or where Max or TTL is not above zero and within Traits.
	Claim(ctx context.Context, req Claim) ([]Lease, error)

	// Extend makes each lease run until ttl from now. One error each, in order: nil, or ErrLeaseLost
	// (also ErrCancelled where a person cancelled the job). A lease that ran out but was not replaced is
	// still held.
	Extend(ctx context.Context, ttl time.Duration, leases ...Lease) ([]error, error)

	// Settle ends attempts. One error each, in order: nil, ErrLeaseLost, or the reason why this one
	// cannot be applied; one refused settlement hinders no other. Repeating an applied settlement (the same lease,
	// state and outcome) is a success until the job's next claim, and ErrLeaseLost after it.
	Settle(ctx context.Context, ends ...Settlement) ([]error, error)

	// Traits says what this engine promises, in numbers; they do not change while it is open.
	Traits() Traits

	// Ping fails unless the engine can serve a write.
	Ping(ctx context.Context) error

	// Close ends calls under way with ErrClosed or lets them finish, and frees everything. It may be
	// called again.
	Close() error
}

// Enqueuer accepts jobs.
type Enqueuer interface {
	// Enqueue stores jobs, durably as Traits says, and answers one receipt each, in order. A batch is not
	// atomic except in a Tx. The error says that nothing is known of the batch, or why all of it failed.
	Enqueue(ctx context.Context, jobs ...Job) ([]Receipt, error)
}

// Tx is an engine inside a caller's own transaction (see [Transactor]): everything commits or rolls
// back with the caller's data. It lives as long as that transaction and, as that, serves one goroutine.
type Tx interface {
	Enqueuer
	// Hold fails with ErrLeaseLost unless the lease is held; whoever claims the job next then waits for
	// this transaction. A caller that gets an error must roll back.
	Hold(ctx context.Context, lease Lease) error
	// Settle is Engine.Settle, but that a settlement which was applied before is ErrLeaseLost: what the transaction changes
	// beside it would be changed once more. After it the worker need not settle again.
	Settle(ctx context.Context, ends ...Settlement) ([]error, error)
}

// Traits is what an engine promises; package queuetest holds it to that.
type Traits struct {
	Name       string        // of the technology: "sqlite"
	Durability string        // what a reported success survives, in words, printed at start-up
	Durable    bool          // a reported success survives the end of every process
	UniqueFor  time.Duration // how long it still knows the id of a job that is done or cancelled
	KeepFor    time.Duration // how long effects are remembered in its own database; 0: it keeps no ledger
	MaxPayload int           // bytes of a payload or a result
	MaxBatch   int           // jobs, leases or settlements in one call
	MaxTTL     time.Duration // of a lease
	// What some brokers cannot do. All true on engines with a store of their own.
	RepeatsClaims bool // a repeated claim gives the same leases again
	Fences        bool // a lease that was replaced can no longer extend or settle
	Counts        bool // failures, crashes, interruptions and snoozes are counted separately
	Dedupes       bool // an id known to the engine is not stored again
}

// Wrapper is an engine that adds to another.
type Wrapper interface{ Unwrap() Engine }

// As finds an ability: the first of e and the engines it wraps that implements C. A wrapper that
// changes jobs must implement every ability that returns jobs, or it would be bypassed.
func As[C any](e Engine) (C, bool) {
	for e != nil {
		if c, ok := e.(C); ok {
			return c, true
		}
		w, ok := e.(Wrapper)
		if !ok {
			break
		}
		e = w.Unwrap()
	}
	var none C
	return none, false
}

// Need is As, failing with ErrUnsupported; op says what for.
func Need[C any](e Engine, op string) (C, error) {
	c, ok := As[C](e)
	if !ok {
		return c, &Error{Op: op, Subject: e.Traits().Name, Reason: ErrUnsupported, Remedy: "see docs/conformance.md for what each engine can do"}
	}
	return c, nil
}
