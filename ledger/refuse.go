package ledger

import (
	"fmt"
	"time"

	"github.com/twicehq/twice/queue"
)

// The refusals of stores, in one wording whatever the driver.

const endAttempt = "end this attempt: the job goes on elsewhere, or has ended"

// RefuseSealed is the refusal of a try whose job was sealed at its token or a higher one.
func RefuseSealed(op string, try Try, seal int64) error {
	return &queue.Error{Op: op, Subject: try.Key().String(), Reason: queue.ErrLeaseLost,
		Detail: fmt.Sprintf("the job's effects were sealed at token %d and this attempt has %d", seal, try.Lease.Token), Remedy: endAttempt}
}

// RefuseStale is the refusal of a try whose job was last fresh at or before the mark.
func RefuseStale(op string, try Try, mark time.Time) error {
	return &queue.Error{Op: op, Subject: try.Key().String(), Reason: queue.ErrLeaseLost,
		Detail: fmt.Sprintf("the job was last fresh at %s and the ledger forgets what is at or before %s", stamp(try.Lease.FreshAt), stamp(mark)), Remedy: endAttempt}
}

// RefuseOther is the refusal of a try that would do something else than the entry says.
func RefuseOther(op string, try Try, entry Entry) error {
	return &queue.Error{Op: op, Subject: try.Key().String(), Reason: queue.ErrConflict,
		Detail: fmt.Sprintf("the ledger has the effect with fingerprint %016x, this one has %016x", entry.Fingerprint, try.Fingerprint),
		Remedy: "an effect's content must depend on the job alone: use another step for another effect"}
}

// RefuseState is the refusal of a change that the entry's state does not allow; an empty state: there is no entry.
func RefuseState(op string, key Key, state State) error {
	detail := "its entry is " + string(state)
	if state == "" {
		detail = "it has no entry"
	}
	return &queue.Error{Op: op, Subject: key.String(), Reason: queue.ErrState, Detail: detail}
}

// Differs reports whether the try would do something else than the entry says. Fingerprint 0 is not compared.
func (e Entry) Differs(try Try) bool {
	return e.Fingerprint != 0 && try.Fingerprint != 0 && e.Fingerprint != try.Fingerprint
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
