package explore

import (
	"context"
	"encoding/binary"
	"errors"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/proof/history"
	"github.com/twicehq/twice/queue"
)

// Engine is what is explored. Under runs fn while the lease is held, and fails with ErrLeaseLost where it is not.
type Engine interface {
	queue.Engine
	queue.Inspector
	queue.Operator
	queue.Pruner
	queue.Auditor
	queue.Presence
	Under(lease queue.Lease, fn func() error) error
}

// Make gives a new, empty engine that goes by this clock. It is called thousands of times.
type Make func(now func() time.Time) (Engine, error)

const (
	ttl   = time.Minute
	kind  = "k"
	keep  = time.Hour // how long the job is known after it ended: UniqueFor of the engine may be no longer
	delay = 10 * time.Minute
	// keepBriefly takes the place of keep where time is explored: what hinders forgetting there is the mark.
	keepBriefly = time.Second
	printOne    = 11
	printTwo    = 12
)

var (
	job   = queue.Job{ID: queue.NewID(kind, "a"), Queue: "q", Kind: kind, Key: "a", Fingerprint: printOne, KeepFor: keep}
	actor = queue.Actor{Name: "explorer", Why: "proof"}
)

// name tells a lease apart: the number of the claim and the token. Claims are numbered by the token that they would
// give, so an old claim that arrives again has an older number than its token.
type name struct{ claim, token int64 }

func claimID(n int64) (id queue.ClaimID) {
	binary.BigEndian.PutUint64(id[:], uint64(n))
	return id
}

func (n name) id() queue.LeaseID { return claimID(n.claim).Lease(job.ID, n.token) }

func (n name) text() string {
	if n == (name{}) {
		return ""
	}
	return n.id().String()
}

// world is one engine with its clock and what was leased.
type world struct {
	engine Engine
	at     time.Time
	timed  bool
	rules  twice.Rules
	lone   bool // claims say the crash cap, so that suspects run alone
	leases map[name]queue.Lease
}

func newWorld(build Make, b Bounds) (*world, error) {
	w := &world{at: noon(1), timed: b.Instants > 0, rules: b.rules(), lone: b.Lone, leases: map[name]queue.Lease{}}
	var err error
	w.engine, err = build(func() time.Time { return w.at })
	return w, err
}

// end frees the engine. What it held is of no use to anybody.
func (w *world) end() { _ = w.engine.Close() }

// do performs an action and gives its answer, as a history would.
func (w *world) do(a Act) history.Answer {
	ctx := context.Background()
	switch a.What {
	case Enqueue, Duplicate, Other:
		j := job
		if a.What == Other {
			j.Fingerprint = printTwo
		}
		if a.At > 0 {
			j.Origin = noon(a.At)
		}
		if w.timed {
			j.KeepFor = keepBriefly
		}
		receipts, err := w.engine.Enqueue(ctx, j)
		if err != nil || len(receipts) != 1 {
			return odd(err)
		}
		return history.Answer(receipts[0].Status.String())
	case Claim, ClaimAlone:
		return w.claim(ctx, a)
	case Pass:
		for range 3 { // the engine serves meanwhile
			w.at = w.at.Add(ttl / 2)
			w.serve(ctx)
		}
		return history.OK
	case Freeze:
		w.at = w.at.Add(2 * ttl)
		return w.roused(ctx)
	case Wait:
		for passed := time.Duration(0); passed <= delay; passed += ttl / 2 {
			w.at = w.at.Add(ttl / 2)
			w.serve(ctx)
		}
		return history.OK
	case Extend:
		return first(w.engine.Extend(ctx, ttl, w.lease(a.lease())))
	case Settle:
		return first(w.engine.Settle(ctx, w.settlement(a)))
	case Cancel:
		return first(w.engine.Cancel(ctx, actor, queue.Cut{ID: job.ID, Effects: effects(a.List)}))
	case CancelSealed:
		return first(w.engine.Cancel(ctx, actor, queue.Cut{ID: job.ID, Sealed: true, Token: a.Token, Effects: effects(a.List)}))
	case Redrive:
		return first(w.engine.Redrive(ctx, actor, job.ID))
	case Resolve:
		return first(w.engine.Resolved(ctx, actor, job.ID))
	case Discard:
		return first(w.engine.Discard(ctx, actor, job.ID))
	case Prune:
		return w.forgets(ctx, w.engine.Prune)
	case Reap:
		return w.forgets(ctx, w.engine.Reap)
	case MoveMark:
		return told(w.engine.MoveMark(ctx, end(a.At)))
	case Tick: // whoever holds a lease could not extend it meanwhile, and does so then: clocks end no lease here
		r, err := w.engine.Job(ctx, job.ID)
		leased := err == nil && r.State == queue.Running && r.LeaseUntil.After(w.at)
		w.at = noon(instant(w.at) + 1)
		if leased {
			for _, n := range w.holders(r.Token) {
				return first(w.engine.Extend(ctx, ttl, w.lease(n)))
			}
		}
		w.serve(ctx)
		return history.OK
	}
	return odd(errors.New("no such action"))
}

// roused: somebody asks for jobs of another kind, so the engine finds that it stood still, and leases nothing.
func (w *world) roused(ctx context.Context) history.Answer {
	leases, err := w.engine.Claim(ctx, queue.Claim{ID: claimID(-1), Worker: "w", Queues: []string{"q"}, Kinds: []string{"other"}, Max: 1, TTL: ttl})
	if err == nil && len(leases) > 0 {
		err = errors.New("a job of another kind was leased")
	}
	return told(err)
}

// forgets lets the engine forget jobs that ended as long ago as an id is kept.
func (w *world) forgets(ctx context.Context, forget func(context.Context, int) (int, error)) history.Answer {
	w.at = w.at.Add(2 * keepBriefly)
	if !w.timed {
		w.at = w.at.Add(2 * keep)
	}
	n, err := forget(ctx, 10)
	if err == nil && n == 0 {
		return history.NotFound
	}
	return told(err)
}

// serve lets the engine serve a write, so that it knows that it did not stand still.
func (w *world) serve(ctx context.Context) {
	_ = w.engine.Announce(ctx, queue.Worker{Name: "w", Queues: []string{"q"}, Kinds: []string{kind}}, time.Hour)
}
