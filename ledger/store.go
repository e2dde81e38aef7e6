package ledger

import (
	"context"
	"time"

	"github.com/twicehq/twice/queue"
)

// Store keeps the record of effects, beside the data they change. All methods may be called
// concurrently; each is one transaction; each may be repeated when its outcome is unknown.
//
// A try is refused with ErrLeaseLost where the job was sealed at its token or a higher one, where the
// job was last fresh at or before the mark, and, in a store that shares the engine's database, where
// the lease is no longer held. Such a check and the write it guards are one serial step with Seal.
type Store interface {
	// Intend records that the effect is about to be asked for, and gives the entry as it stands. Mine is
	// true where this very call wrote it: nobody else can have asked before. A confirmed entry is given
	// also to a try that would be refused, and is refreshed by one that would not. ErrConflict where the
	// entry has another fingerprint.
	Intend(ctx context.Context, try Try) (Entry, error)
	// Confirm records the result of an effect that was made: it is the answer from now on.
	Confirm(ctx context.Context, try Try, result []byte) error
	// Doubt makes a pending entry unknown: a person must answer.
	Doubt(ctx context.Context, try Try) error
	// Withdraw removes an entry that this try wrote (Mine) and that no later try has seen, after the
	// remote said that nothing happened. False where somebody has: then it stays pending.
	Withdraw(ctx context.Context, try Try) (bool, error)

	// Seal bars every effect of the job by a try of that token or a lower one, and lists, in the same
	// transaction, what was recorded and what nobody is sure of.
	Seal(ctx context.Context, job queue.ID, token int64) ([]queue.Effect, error)
	// Entries gives all entries of a job, by step.
	Entries(ctx context.Context, job queue.ID) ([]Entry, error)
	// Answer is a person's word on an entry that is pending or unknown: it happened, with this result, or it did
	// not. ErrState where it is neither.
	Answer(ctx context.Context, by queue.Actor, key Key, happened bool, result []byte) error

	// MoveMark raises the mark: from then on a job last fresh at or before it makes no effect.
	MoveMark(ctx context.Context, t time.Time) error
	// Sweep deletes, at most limit jobs at a call, the entries and seals of jobs that are fresh at or before
	// the mark, sealed no later than it, and that forgotten says the engine no longer has. It gives the
	// number of jobs swept.
	Sweep(ctx context.Context, limit int, forgotten func(context.Context, []queue.ID) ([]bool, error)) (int, error)
}

// Tx is a store inside a transaction of the caller's own, for effects that are changes of the same
// database: the entry and the change commit together. It serves one goroutine.
type Tx interface {
	// Recorded gives the confirmed entry of the try; false where there is none and the effect may be made
	// in this transaction. It is refused as Intend is.
	Recorded(ctx context.Context, try Try) (Entry, bool, error)
	// Record records the effect's result.
	Record(ctx context.Context, try Try, result []byte) error
}

// Key names one effect for ever: a step of a job.
type Key struct {
	Job  queue.ID
	Step string
}

// String gives job/step: what remotes get as idempotency key.
func (k Key) String() string { return k.Job.String() + "/" + k.Step }

// Try is one attempt at an effect, by the holder of a lease.
type Try struct {
	Lease       queue.Lease
	Step        string
	Fingerprint uint64 // of what the effect is to do; 0: not compared
}

// Key names the effect that is tried.
func (t Try) Key() Key { return Key{t.Lease.Job.ID, t.Step} }

// State is what is known of an effect.
type State string

const (
	Pending   State = "pending"   // it was or is about to be asked for; the result is not known yet
	Confirmed State = "confirmed" // it was made; Result is what it gave
	Unknown   State = "unknown"   // nobody can tell; the job is parked for a person
	Denied    State = "denied"    // a person said that it was not made: it may be asked for again
)

// Entry is the record of one effect.
type Entry struct {
	Key         Key
	State       State
	Fingerprint uint64
	Token       int64 // of the last try that wrote or saw it
	Result      []byte
	FirstSentAt time.Time // when the first intent was written, by the store's clock
	FreshAt     time.Time
	Now         time.Time // the store's clock when it answered
	Mine        bool      // this very call wrote the intent
}
