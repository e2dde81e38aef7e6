package queue

import "fmt"

// State is how a job is stored: always exactly one of five. Waiting, ready and expired are not states
// but how a queued or running job looks at a moment, since time passes without a write.
type State uint8

const (
	Queued    State = iota + 1 // to be claimed, at or after its run-at
	Running                    // leased to a worker
	Done                       // ended well
	Dead                       // gave up; kept whole for a person
	Cancelled                  // ended by a person
)

var stateNames = names[State]{"state", map[State]string{
	Queued: "queued", Running: "running", Done: "done", Dead: "dead", Cancelled: "cancelled"}}

func (s State) String() string                { return stateNames.text(s) }
func (s State) MarshalText() ([]byte, error)  { return []byte(s.String()), nil }
func (s *State) UnmarshalText(b []byte) error { return stateNames.parse(b, s) }

// Ended reports whether s is terminal: only a redrive (of a dead job) or a discard leaves it.
func (s State) Ended() bool { return s == Done || s == Dead || s == Cancelled }

// Outcome is how one attempt ended.
type Outcome uint8

const (
	OutcomeDone        Outcome = iota + 1
	OutcomeFailed              // the handler returned an error
	OutcomeTimedOut            // it ran longer than its timeout
	OutcomePanicked            // it panicked; the error holds the stack
	OutcomeCrashed             // its lease was lost with no word: counted by the next claim
	OutcomeInterrupted         // the worker was shut down
	OutcomeSnoozed             // the handler asked to be run later
	OutcomeCancelled           // a person cancelled the job
	OutcomeBuried              // the job gave up by decision, without a run or by the handler's word
)

var outcomeNames = names[Outcome]{"outcome", map[Outcome]string{
	OutcomeDone: "done", OutcomeFailed: "failed", OutcomeTimedOut: "timed_out", OutcomePanicked: "panicked",
	OutcomeCrashed: "crashed", OutcomeInterrupted: "interrupted", OutcomeSnoozed: "snoozed",
	OutcomeCancelled: "cancelled", OutcomeBuried: "buried"}}

func (o Outcome) String() string                { return outcomeNames.text(o) }
func (o Outcome) MarshalText() ([]byte, error)  { return []byte(o.String()), nil }
func (o *Outcome) UnmarshalText(b []byte) error { return outcomeNames.parse(b, o) }

// Counter names the count that a settlement raises by one. Crashes have none here: the engine counts
// a crash itself, when it claims a job whose lease ran out with no word.
type Counter uint8

const (
	CountNothing Counter = iota
	CountFailure
	CountInterruption
	CountSnooze
)

// Reason says why a job is dead or cancelled: one of these words, never free text.
type Reason string

const (
	ReasonFailures      Reason = "failures"      // failed as often as its cap
	ReasonCrashes       Reason = "crashes"       // killed its process as often as its cap
	ReasonInterruptions Reason = "interruptions" // interrupted as often as its cap
	ReasonSnoozes       Reason = "snoozes"       // snoozed as often as its cap
	ReasonBuried        Reason = "buried"        // the handler answered Bury
	ReasonUndecodable   Reason = "undecodable"   // failed to the cap because its payload is not of its kind
	ReasonDeadline      Reason = "deadline"      // its deadline passed before it was done
	ReasonDoubt         Reason = "in_doubt"      // nobody can tell whether an effect happened
	ReasonCancelled     Reason = "cancelled"     // a person cancelled it
	ReasonDiscarded     Reason = "discarded"     // a person discarded the dead letter
)

// names maps an enumeration to its words and back.
type names[T comparable] struct {
	what  string
	words map[T]string
}

func (n names[T]) text(v T) string {
	if w, ok := n.words[v]; ok {
		return w
	}
	return n.what + " unknown"
}

func (n names[T]) parse(b []byte, into *T) error {
	for v, w := range n.words {
		if w == string(b) {
			*into = v
			return nil
		}
	}
	return &Error{Op: "parse " + n.what, Subject: fmt.Sprintf("%.40q", b), Reason: ErrInvalid, Detail: "no such " + n.what}
}
