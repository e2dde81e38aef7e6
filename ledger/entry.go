package ledger

import (
	"crypto/rand"
	"slices"
	"strings"
	"time"

	"github.com/twicehq/twice/queue"
)

// Key names one effect for ever: a step of a job.
type Key struct {
	Job  queue.ID
	Step string
}

// String gives job/step: what remotes get as idempotency key.
func (k Key) String() string { return k.Job.String() + "/" + k.Step }

// Try is one attempt at an effect, by the holder of a lease.
type Try struct {
	ID          TryID // new for each try, the same where a call to the store is repeated
	Lease       queue.Lease
	Step        string
	Fingerprint uint64 // of what the effect is to do; 0: not compared
}

// TryID tells the tries of one lease apart: a repeated call of one try, whose reply was lost, is no
// second try.
type TryID [16]byte

// NewTryID makes a random one.
func NewTryID() (id TryID) { _, _ = rand.Read(id[:]); return id }

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
	Token       int64 // the highest of the tries that wrote or saw it
	Result      []byte
	FirstSentAt time.Time // when the intent that stands was first written, by the store's clock
	FreshAt     time.Time // the latest freshness of the tries that wrote or saw it
	Now         time.Time // the store's clock when it answered
	Mine        bool      // this very try wrote the intent, and nobody else has seen it
	Answered    queue.Actor
	AnsweredAt  time.Time // when a person last answered; zero: never
}

// DeniedBefore reports whether a person once said that the effect was not made, and it is not confirmed.
// A worker that was frozen then may have asked for it since.
func (e Entry) DeniedBefore() bool { return !e.AnsweredAt.IsZero() && e.State != Confirmed }

// List gives what a job's record keeps of its effects when it ends: those recorded, those denied by a
// person, and all others as unknown; by step.
func List(entries []Entry) []queue.Effect {
	var list []queue.Effect
	for _, e := range entries {
		state := queue.EffectUnknown
		switch e.State {
		case Confirmed:
			state = queue.EffectRecorded
		case Denied:
			state = queue.EffectDenied
		}
		list = append(list, queue.Effect{Step: e.Key.Step, State: state})
	}
	slices.SortFunc(list, func(a, b queue.Effect) int { return strings.Compare(a.Step, b.Step) })
	return list
}
