package ledger

import (
	"context"
	"time"

	"github.com/twicehq/twice/queue"
)

// Store keeps the record of effects, beside the data they change. All methods may be called
// concurrently; each is one transaction. After an error that is ErrUnknownOutcome the same call may be
// repeated, with the same Try, and answers as the first would have; after any other nothing changed.
//
// A try is refused with ErrLeaseLost where the job was sealed at its token or a higher one, where the
// job was last fresh at or before the mark, and, in a store that shares the engine's database, where
// the lease is no longer held. Such a check and the write it guards are one serial step with Seal.
type Store interface {
	// Intend records that the effect is about to be asked for, and gives the entry as it stands. Where
	// there is none, or a person denied it, it writes a pending one, which is Mine. One that it finds
	// pending or unknown it marks as seen, in the same step: token and freshness rise to the try's, and
	// from then on nobody can withdraw it. A confirmed entry is given also to a try that would be
	// refused, and is refreshed by one that would not. ErrConflict where the entry has another
	// fingerprint: neither is changed.
	Intend(ctx context.Context, try Try) (Entry, error)
	// Confirm records the result of an effect that was made: it is the answer from now on. The same
	// result again is a success; ErrState where another is recorded already (the first stands), and where
	// nothing was intended.
	Confirm(ctx context.Context, try Try, result []byte) error
	// Doubt makes a pending entry unknown: a person must answer. One that is unknown stays so; ErrState
	// where it is neither.
	Doubt(ctx context.Context, try Try) error
	// Withdraw takes back the pending entry that the same Try wrote (Mine), after the remote said that
	// nothing happened: it is removed, or denied again where a person had denied it. True also where
	// there is none (any more). False where any other Intend has seen it: somebody may have asked, or be
	// about to, so it stays pending.
	Withdraw(ctx context.Context, try Try) (bool, error)

	// Seal bars every effect of the job by a try of that token or a lower one, and lists, in the same
	// transaction, what was recorded and what nobody is sure of (List). A seal never goes back; every
	// call renews its time.
	Seal(ctx context.Context, job queue.ID, token int64) ([]queue.Effect, error)
	// Entries gives all entries of a job, by step.
	Entries(ctx context.Context, job queue.ID) ([]Entry, error)
	// Answer is a person's word on an entry that is pending or unknown: it happened, with this result, or
	// it did not. Who, why and when are kept with the entry. The same word again is a success; ErrState
	// where the entry says otherwise already, ErrNotFound where there is none.
	Answer(ctx context.Context, by queue.Actor, key Key, happened bool, result []byte) error

	// MoveMark raises the mark: from then on a job last fresh at or before it makes no effect. It never
	// goes back, and never beyond the store's clock less its KeepFor: asked for more, it goes that far.
	MoveMark(ctx context.Context, t time.Time) error
	// Sweep deletes the entries and seals of jobs that are fresh at or before the mark, sealed no later
	// than it, and that forgotten says the engine no longer has: at most limit jobs at a call. Those that
	// the engine still has hold up no others. What a try of a higher token, or a later seal, added after
	// forgotten was asked stays. forgotten is called outside any transaction. It gives the number of jobs swept.
	Sweep(ctx context.Context, limit int, forgotten func(context.Context, []queue.ID) ([]bool, error)) (int, error)
}

// Tx is a store inside a transaction of the caller's own, for effects that are changes of the same
// database: the entry and the change commit together. It serves one goroutine. After an error the
// caller must roll back.
type Tx interface {
	// Recorded gives the confirmed entry of the try, and refreshes it; false where there is none and the
	// effect may be made in this transaction. It is refused as Intend is, and gives a confirmed entry also
	// to a try that would be. ErrState where the step is an effect outside that is not confirmed.
	Recorded(ctx context.Context, try Try) (Entry, bool, error)
	// Record records the effect's result. Of two transactions that record one effect, one fails, here or
	// when it commits.
	Record(ctx context.Context, try Try, result []byte) error
}
