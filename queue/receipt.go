package queue

import "time"

// Status is the answer to one enqueued job.
type Status uint8

const (
	Accepted  Status = iota + 1 // it is stored
	Duplicate                   // the same id with the same fingerprint is known: this is that job
	Conflict                    // the same id is held by a job with another fingerprint; nothing changed
	Refused                     // it breaks a rule, or its origin is at or before the mark
)

var statusNames = names[Status]{"status", map[Status]string{
	Accepted: "accepted", Duplicate: "duplicate", Conflict: "conflict", Refused: "refused"}}

func (s Status) String() string                { return statusNames.text(s) }
func (s Status) MarshalText() ([]byte, error)  { return []byte(s.String()), nil }
func (s *Status) UnmarshalText(b []byte) error { return statusNames.parse(b, s) }

// Receipt says what became of one enqueued job. For a duplicate or a conflict the Holder fields tell
// of the job that has the id: its id, its state, when it runs or ran. A duplicate with another run-at
// or priority is a duplicate, and HolderRunAt shows it.
type Receipt struct {
	ID           ID
	Status       Status
	Holder       ID
	HolderState  State
	HolderRunAt  time.Time
	GuardedUntil time.Time // until then a repeat of this request cannot run a second time; zero: see Origin
	Err          error     // for Conflict (ErrConflict) and Refused (why)
}
