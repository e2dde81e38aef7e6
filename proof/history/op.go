package history

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/twicehq/twice/queue"
)

// Call names what was asked.
type Call string

// The calls of a history. A batch is one operation for each job in it.
const (
	Enqueue Call = "enqueue"
	Follow  Call = "follow" // enqueued with a settlement, which does not tell what became of it
	Claim   Call = "claim"  // one for each lease; and one without a job where a claim was not answered
	Extend  Call = "extend"
	Settle  Call = "settle"
	Hold    Call = "hold" // in a transaction of the caller's
	Cancel  Call = "cancel"
	Redrive Call = "redrive"
	Resolve Call = "resolve"
	Discard Call = "discard"
	Prune   Call = "prune" // jobs may be forgotten from here on
	Look    Call = "look"  // a person, or a test, reads the job's record
)

// Answer is what came back.
type Answer string

// The answers. A call of which the outcome is not known may have been carried out at any later time, or never.
const (
	OK        Answer = "ok"
	LeaseLost Answer = "lease lost"
	NotFound  Answer = "not found"
	Refused   Answer = "refused" // for a reason in the request or the job's state: nothing was changed
	Failed    Answer = "failed"  // for a reason of the engine's: nothing was changed, and nothing is said of the job
	Unknown   Answer = "unknown"
)

// Op is one operation of a history. Times are ns since 1970 by the recorder's clock, but for ClaimedAt, Until and
// RunAt, which are the engine's. Fields beside the first six are set as the call needs them.
type Op struct {
	N      int      `json:"n"` // in the order of the requests
	Client string   `json:"client,omitzero"`
	Call   Call     `json:"call"`
	Answer Answer   `json:"answer"`
	Start  int64    `json:"start"`
	End    int64    `json:"end"`
	Job    queue.ID `json:"job,omitzero"`

	Print  uint64       `json:"print,omitzero"`
	Status queue.Status `json:"status,omitzero"`
	Holder queue.State  `json:"holder,omitzero"` // of a duplicate
	RunAt  int64        `json:"run_at,omitzero"`

	Claim     string        `json:"claim,omitzero"` // hexadecimal
	Lease     string        `json:"lease,omitzero"` // the same
	Token     int64         `json:"token,omitzero"`
	ClaimedAt int64         `json:"claimed_at,omitzero"`
	Until     int64         `json:"until,omitzero"`
	TTL       time.Duration `json:"ttl,omitzero"`
	Counts    queue.Counts  `json:"counts,omitzero"`
	Lone      bool          `json:"lone,omitzero"`  // the job is a suspect; or the settlement makes it one
	Alone     bool          `json:"alone,omitzero"` // the claim is for suspects
	Cap       int           `json:"cap,omitzero"`   // the crash cap that the claim gave for the job's kind

	State   queue.State   `json:"state,omitzero"`
	Outcome queue.Outcome `json:"outcome,omitzero"`
	Counter queue.Counter `json:"counter,omitzero"`
	Doubt   bool          `json:"doubt,omitzero"`
	Sealed  bool          `json:"sealed,omitzero"` // a cancel that holds only at Token
	Whole   bool          `json:"whole,omitzero"`  // a look that shows counts
}

// String tells the step in words.
func (o Op) String() string {
	text := fmt.Sprintf("step %d: %s", o.N, o.Call)
	switch o.Call {
	case Claim, Extend, Hold:
		text += fmt.Sprintf(" at token %d", o.Token)
	case Settle:
		text += fmt.Sprintf(" %s (%s) at token %d", o.State, o.Outcome, o.Token)
	case Look:
		text += fmt.Sprintf(" %s at token %d, %+v", o.State, o.Token, o.Counts)
	}
	if o.Call == Enqueue && o.Answer == OK {
		return text + ": " + o.Status.String()
	}
	return text + ": " + string(o.Answer)
}

// Write writes one operation a line, as JSON.
func Write(w io.Writer, ops []Op) error {
	out := json.NewEncoder(w)
	for _, op := range ops {
		if err := out.Encode(op); err != nil {
			return err
		}
	}
	return nil
}

// Read reads what Write wrote. It fails at the first line that is none of an operation, and names it.
func Read(r io.Reader) ([]Op, error) {
	var ops []Op
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var op Op
		if err := json.Unmarshal(lines.Bytes(), &op); err != nil {
			return nil, fmt.Errorf("line %d of a history: %w", len(ops)+1, err)
		}
		ops = append(ops, op)
	}
	return ops, lines.Err()
}
