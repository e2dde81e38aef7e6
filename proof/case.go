package proof

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/queue"
)

// Case is a handler, a job for it, and the world in which it is run. World, Kind, Handle and Observe are required.
// T is the type of the job's arguments, W of what the handler needs.
type Case[T, W any] struct {
	// World makes a fresh world, and gives what the handler needs. It is called for each schedule. What the handler
	// reaches of the world it must reach through what o gives; what World and Observe do themselves is not disturbed.
	World func(o *Outside) (W, error)
	// Kind and Args make the job.
	Kind *twice.Kind[T]
	Args T
	// Handle is the handler under proof. It must honour what package worker asks of handlers, no more.
	Handle func(w W, ctx context.Context, job twice.Job[T]) error
	// Observe gives a snapshot of the world outside: whatever package reflect can compare, without what differs between
	// two clean runs.
	Observe func(w W) any

	// Start gives what a process that has just begun sees of the world: the same outside, with memory of its own. Each
	// attempt runs in a process of its own, but for one that follows upon an error. Nil: nothing of W is memory.
	Start func(w W) W
	// Books fails where the world does not add up. Nil: only the engine's own sum is checked.
	Books func(w W) error
	// Truth is what a person finds out about a step that is parked in doubt: whether its effect happened, and with which
	// result. It is asked when no attempt is under way any more. Nil: no step may be parked.
	Truth func(w W, step string) (happened bool, result any)

	// Skip leaves sorts out. The report says so.
	Skip []Sort
	// Replay runs this one schedule instead of all, as a failure printed it. Handler also reads it from
	// TWICE_PROOF_REPLAY.
	Replay string
	Limits Limits
}

// Limits bound an exploration. Where one cuts it short, the report says so, and where; Handler fails, unless that limit was set:
// then less than everything is what was asked for.
type Limits struct {
	Schedules int           // 20,000; in all
	Pairs     int           // 5,000; of each sort that goes through pairs of points
	Time      time.Duration // 5 min, of real time
	// Patience is how long, in real time, an attempt may do nothing that is seen before it counts as stuck: 3 s. One
	// that waits for another, which stands, is let wait; one that waits for nothing fails the proof.
	Patience time.Duration
}

// plan is a case without its types.
type plan struct {
	rules   twice.Rules
	job     func(ctx context.Context, opts ...twice.Option) (queue.Job, error)
	world   func(*Outside) (any, error)
	start   func(any) any
	handle  func(ctx context.Context, w any, lease queue.Lease) error
	observe func(any) any
	books   func(any) error
	truth   func(any, string) (bool, any)
	skip    []Sort
	replay  schedule
	limits  Limits
	given   Limits // as they were set
}

// plan checks the case. Its error names everything that is wrong.
func (c Case[T, W]) plan() (*plan, error) {
	var wrong []string
	need := func(what string, given bool) {
		if !given {
			wrong = append(wrong, what+" is missing")
		}
	}
	need("World", c.World != nil)
	need("Kind", c.Kind != nil)
	need("Handle", c.Handle != nil)
	need("Observe", c.Observe != nil)
	if min(c.Limits.Schedules, c.Limits.Pairs) < 0 || min(c.Limits.Time, c.Limits.Patience) < 0 {
		wrong = append(wrong, "a limit is negative")
	}
	replay, err := parse(c.Replay)
	if err != nil {
		wrong = append(wrong, err.Error())
	}
	if len(wrong) > 0 {
		return nil, fmt.Errorf("proof: the case cannot be run: %s", strings.Join(wrong, "; "))
	}
	p := &plan{rules: c.Kind.Rules(), skip: c.Skip, replay: replay, limits: c.Limits, given: c.Limits}
	orDefault(&p.limits.Schedules, 20_000)
	orDefault(&p.limits.Pairs, 5_000)
	orDefault(&p.limits.Time, 5*time.Minute)
	orDefault(&p.limits.Patience, 3*time.Second)
	p.job = func(ctx context.Context, opts ...twice.Option) (queue.Job, error) {
		return c.Kind.Job(ctx, c.Args, opts...)
	}
	p.world = func(o *Outside) (any, error) { return c.World(o) }
	p.start = func(w any) any { return w }
	if c.Start != nil {
		p.start = func(w any) any { return c.Start(w.(W)) }
	}
	p.handle = func(ctx context.Context, w any, lease queue.Lease) error {
		job, err := c.Kind.Decode(lease)
		if err != nil {
			return twice.Bury(err)
		}
		return c.Handle(w.(W), ctx, job)
	}
	p.observe = func(w any) any { return c.Observe(w.(W)) }
	p.books = func(any) error { return nil }
	if c.Books != nil {
		p.books = func(w any) error { return c.Books(w.(W)) }
	}
	if c.Truth != nil {
		p.truth = func(w any, step string) (bool, any) { return c.Truth(w.(W), step) }
	}
	return p, nil
}

func orDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
