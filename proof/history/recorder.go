package history

import (
	"context"
	"encoding/hex"
	"errors"
	"sync"
	"time"

	"github.com/twicehq/twice/queue"
)

// Recorder keeps what is asked of engines and what they answer, in memory: about 300 bytes an operation, without
// bound; or it writes it down, see [NewLog]. Everything of it may be called concurrently.
type Recorder struct {
	now func() time.Time
	log func(entry) // nil: what is recorded is kept

	mu  sync.Mutex
	n   int
	ops []Op
}

// NewRecorder takes the clock that the engine goes by, where a test moves that; nil: the host's, which does not jump
// while the recorder lives.
func NewRecorder(now func() time.Time) *Recorder {
	if now == nil {
		began := time.Now()
		now = func() time.Time { return began.Add(time.Since(began)) }
	}
	return &Recorder{now: now}
}

// Ops gives a copy of what was recorded so far, in the order of the answers.
func (r *Recorder) Ops() []Op {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Op(nil), r.ops...)
}

// call is one request under way.
type call struct {
	*Recorder
	client string
	n      int
	start  int64
}

// begin is called before the request is made. asked gives its operations with no outcome.
func (r *Recorder) begin(client string, asked func() []Op) call {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n++
	c := call{r, client, r.n, r.now().UnixNano()}
	if r.log != nil {
		r.log(entry{N: c.n, Client: client, Start: c.start, Ops: asked()})
	}
	return c
}

// end keeps the operations of the request, which was answered now.
func (c call) end(ops ...Op) {
	c.mu.Lock()
	defer c.mu.Unlock()
	end := c.now().UnixNano()
	if c.log != nil {
		c.log(entry{N: c.n, End: end, Ops: ops})
		return
	}
	for _, op := range ops {
		op.N, op.Client, op.Start, op.End = c.n, c.client, c.start, end
		c.ops = append(c.ops, op)
	}
}

// unheard is the error of a request that nobody has answered yet.
var unheard = &queue.Error{Op: "history", Reason: queue.ErrUnknownOutcome}

// answer says what an error means. The contract of engines (queue.Engine) is that after an error other than an unknown
// outcome nothing was changed, and a check holds them to it. An error of no kind that the contract names leaves the
// outcome open: a wrong "unknown" only weakens the check.
func answer(err error) Answer {
	switch {
	case err == nil:
		return OK
	case errors.Is(err, queue.ErrUnknownOutcome), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return Unknown
	case errors.Is(err, queue.ErrLeaseLost):
		return LeaseLost
	case errors.Is(err, queue.ErrNotFound):
		return NotFound
	}
	for _, known := range []error{queue.ErrInvalid, queue.ErrTooLarge, queue.ErrConflict, queue.ErrRefused, queue.ErrState, queue.ErrInDoubt, queue.ErrCapped, queue.ErrFired} {
		if errors.Is(err, known) {
			return Refused
		}
	}
	for _, known := range []error{queue.ErrUnavailable, queue.ErrReadOnly, queue.ErrFull, queue.ErrCorrupt, queue.ErrSchema, queue.ErrClosed, queue.ErrUnsupported} {
		if errors.Is(err, known) {
			return Failed
		}
	}
	return Unknown
}

// one is the answer to the i-th part of a batch. Where a whole batch was refused for a reason of some other part,
// nothing is said of this one.
func one(errs []error, err error, i int) Answer {
	if err != nil {
		if a := answer(err); a == Unknown || a == Failed {
			return a
		}
		return Refused
	}
	if i >= len(errs) {
		return Unknown
	}
	return answer(errs[i])
}

func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func claimText(id queue.ClaimID) string { return hex.EncodeToString(id[:]) }

func leaseText(id queue.LeaseID) string {
	if id.IsZero() {
		return ""
	}
	return id.String()
}
