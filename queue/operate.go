package queue

import "context"

// Actor is a person, or a program in their name, and the reason they give. Every change by an actor
// writes its audit row in the same write.
type Actor struct{ Name, Why string }

// Check fails with ErrInvalid unless both are given.
func (a Actor) Check(op string) error {
	if a.Name == "" || a.Why == "" || len(a.Name) > MaxName || len(a.Why) > MaxError {
		return &Error{Op: op, Reason: ErrInvalid, Detail: "a change by a person needs who and why", Remedy: "give both, briefly"}
	}
	return nil
}

// Operator lets people end and revive jobs. One error a job, in order.
type Operator interface {
	// Cancel ends a queued or running job. Its lease is cleared: extend and settle answer ErrLeaseLost and
	// ErrCancelled. Where the ledger is a store of its own, it must be sealed before (ledger.Cancel does
	// it all). ErrState where it has ended, ErrLeaseLost where it was claimed beyond the token: seal again.
	Cancel(ctx context.Context, by Actor, cuts ...Cut) ([]error, error)
	// Redrive sends a dead job back with fresh budgets; id, token and ledger stay. ErrState unless it is
	// dead, ErrInDoubt while it is in doubt, ErrCapped after MaxRedrives.
	Redrive(ctx context.Context, by Actor, ids ...ID) ([]error, error)
	// Discard makes a dead job cancelled, reason discarded.
	Discard(ctx context.Context, by Actor, ids ...ID) ([]error, error)
	// Resolved redrives jobs in doubt after the doubt was answered in the ledger (ledger.Resolve).
	Resolved(ctx context.Context, by Actor, ids ...ID) ([]error, error)
}

// Cut is a cancellation of one job. With Sealed it holds only while the job's token is that one.
type Cut struct {
	ID      ID
	Sealed  bool
	Token   int64
	Effects []Effect // as listed when the ledger was sealed
	Note    string   // for the audit row: "no ledger", where there is none
}

// Pauser stops claims of a queue. Enqueues go on; what is leased runs on.
type Pauser interface {
	Pause(ctx context.Context, by Actor, queue string) error
	Resume(ctx context.Context, by Actor, queue string) error
}
