package ledger

import (
	"context"
	"fmt"
	"time"

	"github.com/twicehq/twice/queue"
)

// Effect is a change of the world outside the database: what to do, and what to do when nobody can
// tell whether it was done.
type Effect[R any] struct {
	// Step names the effect within its job: a name as of a kind. Its key is job id and step.
	Step string
	// Do makes it. The key is the same on every attempt: give it to the remote as idempotency key where
	// it takes one. An error leaves the effect pending, since it may have happened all the same, unless it
	// is made with NotDone.
	Do func(ctx context.Context, key string) (R, error)
	// Confirm asks the remote whether it made the effect of that key, and with what result. nil: it cannot
	// be asked. An error is no answer: the attempt fails and asks again.
	Confirm func(ctx context.Context, key string) (R, bool, error)
	// KeyLife is how long the remote honours a key, counted from when it first got it; 0: it does not.
	KeyLife time.Duration
	// Doubt says what to do when nobody can tell: Park or Resend.
	Doubt Doubt
	// Fingerprint is of what the effect is to do; another one under the same key is ErrConflict. 0: the job's, so that a
	// job of other content, which got the id of one that the engine has forgotten, is not handed that one's result.
	Fingerprint uint64
}

// Doubt is what an effect declares for the case that nobody can tell whether it was made.
type Doubt uint8

const (
	Park   Doubt = iota // a person must say: the job is dead, in doubt
	Resend              // ask again: better twice than not at all
)

// try checks the effect and gives this attempt at it.
func (e Effect[R]) try(ctx context.Context, store Store) (Try, error) {
	op, problems := "effect", queue.Problems(nil)
	wrong := func(detail, remedy string) {
		problems = append(problems, &queue.Error{Reason: queue.ErrInvalid, Detail: detail, Remedy: remedy})
	}
	if err := queue.CheckName("step", e.Step); err != nil {
		problems = append(problems, err)
	}
	if store == nil {
		wrong("there is no store", "give the ledger that is kept beside the data")
	}
	if e.Do == nil {
		wrong("it has no Do", "say how it is made")
	}
	if e.KeyLife < 0 {
		wrong(fmt.Sprintf("its KeyLife is %s", e.KeyLife), "use 0 where the remote honours no keys")
	}
	if e.Doubt > Resend {
		wrong(fmt.Sprintf("its Doubt is %d", e.Doubt), "use Park or Resend")
	}
	if err := encodable[R](); err != nil {
		problems = append(problems, err)
	}
	if len(problems) > 0 {
		return Try{}, &queue.Error{Op: op, Subject: fmt.Sprintf("%.80q", e.Step), Reason: queue.ErrInvalid, Cause: problems}
	}
	return tryOf(ctx, e.Step, e.Fingerprint)
}

// tryOf gives the attempt that ctx belongs to as a try of one step.
func tryOf(ctx context.Context, step string, fingerprint uint64) (Try, error) {
	h, ok := queue.HoldingFrom(ctx)
	if !ok {
		return Try{}, &queue.Error{Op: "effect", Subject: step, Reason: queue.ErrInvalid, Detail: "its context belongs to no attempt of a job",
			Remedy: "pass on the context that the handler was given"}
	}
	if ctx.Err() != nil {
		return Try{}, ended(ctx, step)
	}
	if fingerprint == 0 {
		fingerprint = h.Lease.Job.Fingerprint
	}
	return Try{ID: NewTryID(), Lease: h.Lease, Step: step, Fingerprint: fingerprint}, nil
}

// ended says that an effect was not asked for, because its context had ended, and why it had.
func ended(ctx context.Context, subject string) error {
	err := &queue.Error{Op: "effect", Subject: subject, Reason: ctx.Err(), Detail: "it was not asked for"}
	if cause := context.Cause(ctx); cause != err.Reason {
		err.Cause = cause
	}
	return err
}
