package explore_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/proof/explore"
	"github.com/twicehq/twice/proof/explore/lives"
	"github.com/twicehq/twice/queue"
)

// broken is the memory engine with one transition changed: a nil function leaves it as it is. It remembers the last
// lease, which is that of the one job there is.
type broken struct {
	*memory.Engine
	now    func() time.Time
	last   queue.Lease
	claims map[queue.ClaimID]bool
	ends   map[queue.LeaseID]bool

	enqueue func(*broken, []queue.Job) ([]queue.Receipt, error)
	claim   func(*broken, queue.Claim) ([]queue.Lease, error)
	roused  func(*broken)
	extend  func(*broken, time.Duration, []queue.Lease) ([]error, error)
	settle  func(*broken, []queue.Settlement) ([]error, error)
	cancel  func(*broken, queue.Actor, []queue.Cut) ([]error, error)
	redrive func(*broken, queue.Actor, []queue.ID) ([]error, error)
	prune   func(*broken, int) (int, error)
	reap    func(*broken, int) (int, error)
	look    func(*broken, *queue.Record)
	horizon int64 // another than the bounds'; 0: the same
}

var ctx = context.Background()

func (e *broken) Enqueue(ctx context.Context, jobs ...queue.Job) ([]queue.Receipt, error) {
	if e.enqueue != nil {
		return e.enqueue(e, jobs)
	}
	return e.Engine.Enqueue(ctx, jobs...)
}

func (e *broken) Claim(ctx context.Context, req queue.Claim) (leases []queue.Lease, err error) {
	known := slices.Contains(req.Kinds, "k") // else it is there for the engine to find a silence
	if e.claim != nil && known {
		leases, err = e.claim(e, req)
	} else {
		leases, err = e.Engine.Claim(ctx, req)
	}
	if e.roused != nil && !known {
		e.roused(e)
	}
	if len(leases) > 0 {
		e.last = leases[0]
	}
	return leases, err
}

func (e *broken) Extend(ctx context.Context, ttl time.Duration, leases ...queue.Lease) ([]error, error) {
	if e.extend != nil {
		return e.extend(e, ttl, leases)
	}
	return e.Engine.Extend(ctx, ttl, leases...)
}

func (e *broken) Settle(ctx context.Context, ends ...queue.Settlement) ([]error, error) {
	if e.settle != nil {
		return e.settle(e, ends)
	}
	return e.Engine.Settle(ctx, ends...)
}

func (e *broken) Cancel(ctx context.Context, by queue.Actor, cuts ...queue.Cut) ([]error, error) {
	if e.cancel != nil {
		return e.cancel(e, by, cuts)
	}
	return e.Engine.Cancel(ctx, by, cuts...)
}

func (e *broken) Redrive(ctx context.Context, by queue.Actor, ids ...queue.ID) ([]error, error) {
	if e.redrive != nil {
		return e.redrive(e, by, ids)
	}
	return e.Engine.Redrive(ctx, by, ids...)
}

func (e *broken) Prune(ctx context.Context, limit int) (int, error) {
	if e.prune != nil {
		return e.prune(e, limit)
	}
	return e.Engine.Prune(ctx, limit)
}

func (e *broken) Reap(ctx context.Context, limit int) (int, error) {
	if e.reap != nil {
		return e.reap(e, limit)
	}
	return e.Engine.Reap(ctx, limit)
}

func (e *broken) Job(ctx context.Context, id queue.ID) (queue.Record, error) {
	r, err := e.Engine.Job(ctx, id)
	if e.look != nil && err == nil {
		e.look(e, &r)
	}
	return r, err
}

// giveBack takes the job from whoever holds it, as if it had never been leased.
func (e *broken) giveBack() {
	_, _ = e.Engine.Settle(ctx, queue.Settlement{Lease: e.last, State: queue.Queued, Outcome: queue.OutcomeInterrupted})
}

type mutant struct {
	name   string
	bounds int // of the table
	with   broken
}

// mutants, each with the bounds in which it is looked for.
var mutants = []mutant{
	{"an old lease settles", 0, broken{settle: func(e *broken, ends []queue.Settlement) ([]error, error) {
		ends[0].Lease = e.last
		return e.Engine.Settle(ctx, ends...)
	}}},
	{"a lost lease is told that it was extended", 0, broken{extend: func(e *broken, ttl time.Duration, leases []queue.Lease) ([]error, error) {
		_, err := e.Engine.Extend(ctx, ttl, leases...)
		return []error{nil}, err
	}}},
	{"a lease is replaced before it ran out", 0, broken{claim: func(e *broken, req queue.Claim) ([]queue.Lease, error) {
		leases, err := e.Engine.Claim(ctx, req)
		if len(leases) == 0 && err == nil && !req.Lone {
			e.giveBack()
			return e.Engine.Claim(ctx, req)
		}
		return leases, err
	}}},
	{"a crash is not counted", 0, broken{claim: func(e *broken, req queue.Claim) ([]queue.Lease, error) {
		if r, err := e.Engine.Job(ctx, e.last.Job.ID); err == nil && r.State == queue.Running && !r.LeaseUntil.After(e.now()) && req.ID.Lease(r.Job.ID, r.Token) != e.last.ID {
			e.giveBack()
		}
		return e.Engine.Claim(ctx, req)
	}}},
	{"a crash is counted though the engine stood still", 0, broken{claim: func(e *broken, req queue.Claim) ([]queue.Lease, error) {
		leases, err := e.Engine.Claim(ctx, req)
		if len(leases) == 0 && err == nil && e.now().Sub(e.last.ClaimedAt) == 2*time.Minute {
			e.giveBack()
			return e.Engine.Claim(ctx, req)
		}
		return leases, err
	}}},
	{"a silence spares for ever", 0, broken{roused: func(e *broken) {
		if r, err := e.Engine.Job(ctx, e.last.Job.ID); err == nil && r.State == queue.Running && e.now().Sub(e.last.ClaimedAt) == 4*time.Minute {
			_, _ = e.Engine.Extend(ctx, time.Minute, e.last)
		}
	}}},
	{"a claim that is repeated gives nothing", 0, broken{claim: func(e *broken, req queue.Claim) ([]queue.Lease, error) {
		if e.claims[req.ID] {
			return nil, nil
		}
		leases, err := e.Engine.Claim(ctx, req)
		e.claims[req.ID] = len(leases) > 0
		return leases, err
	}}},
	{"a settlement that is repeated is refused", 0, broken{settle: func(e *broken, ends []queue.Settlement) ([]error, error) {
		if e.ends[ends[0].Lease.ID] {
			return []error{queue.ErrLeaseLost}, nil
		}
		errs, err := e.Engine.Settle(ctx, ends...)
		e.ends[ends[0].Lease.ID] = errs[0] == nil
		return errs, err
	}}},
	{"the cap is one too high", 0, broken{settle: func(e *broken, ends []queue.Settlement) ([]error, error) {
		if s := &ends[0]; s.State == queue.Dead && s.Outcome == queue.OutcomeFailed {
			s.State, s.Reason = queue.Queued, ""
		}
		return e.Engine.Settle(ctx, ends...)
	}}},
	{"an interruption is counted as a failure", 1, broken{settle: func(e *broken, ends []queue.Settlement) ([]error, error) {
		if ends[0].Count == queue.CountInterruption {
			ends[0].Count = queue.CountFailure
		}
		return e.Engine.Settle(ctx, ends...)
	}}},
	{"a cancel does not compare the sealed token", 0, broken{cancel: func(e *broken, by queue.Actor, cuts []queue.Cut) ([]error, error) {
		cuts[0].Sealed = false
		return e.Engine.Cancel(ctx, by, cuts...)
	}}},
	{"a job in doubt is redriven", 0, broken{redrive: func(e *broken, by queue.Actor, ids []queue.ID) ([]error, error) {
		errs, err := e.Engine.Redrive(ctx, by, ids...)
		if len(errs) == 1 && errors.Is(errs[0], queue.ErrInDoubt) {
			return e.Engine.Resolved(ctx, by, ids...)
		}
		return errs, err
	}}},
	{"a suspect is leased in company", 2, broken{claim: func(e *broken, req queue.Claim) ([]queue.Lease, error) {
		req.CrashCaps = nil
		return e.Engine.Claim(ctx, req)
	}}},
	{"a duplicate of a job that is done is accepted", 0, broken{enqueue: func(e *broken, jobs []queue.Job) ([]queue.Receipt, error) {
		receipts, err := e.Engine.Enqueue(ctx, jobs...)
		if receipts[0].HolderState == queue.Done {
			receipts[0].Status = queue.Accepted
		}
		return receipts, err
	}}},
	{"what a dead job lists is dropped", 0, broken{settle: func(e *broken, ends []queue.Settlement) ([]error, error) {
		ends[0].Effects = nil
		return e.Engine.Settle(ctx, ends...)
	}}},
	{"dead letters are pruned", 3, broken{prune: func(e *broken, limit int) (int, error) {
		_, _ = e.Engine.Discard(ctx, queue.Actor{Name: "mutant", Why: "test"}, queue.NewID("k", "a"))
		return e.Engine.Prune(ctx, limit)
	}}},
}

func makeMutant(with broken, b explore.Bounds) explore.Make {
	if with.horizon != 0 {
		b.Horizon = with.horizon
	}
	return func(now func() time.Time) (explore.Engine, error) {
		inner, err := memory.New(lives.ConfigOf(b, now))
		e := with
		e.Engine, e.now, e.claims, e.ends = inner, now, map[queue.ClaimID]bool{}, map[queue.LeaseID]bool{}
		return &e, err
	}
}

// Every transition that is broken on purpose is found, and told in words.
func TestMutantsAreFound(t *testing.T) {
	for _, m := range append(mutants, timedMutants...) {
		t.Run(m.name, func(t *testing.T) {
			report, err := explore.Rows(makeMutant(m.with, bounds[m.bounds].Bounds), bounds[m.bounds].Bounds)
			if err != nil {
				t.Fatal(err)
			}
			if report.Found == nil {
				t.Fatalf("it is not found on %d rows", report.Rows)
			}
			t.Logf("\n%s", report.Found)
		})
	}
}

// A broken engine is found by the walk around it too, and does not reach another number in silence.
func TestLivesRefuseAMutant(t *testing.T) {
	for _, i := range []int{0, 3, 7} {
		if c, err := explore.Count(makeMutant(mutants[i].with, explore.Bounds{}), lives.Ledger(explore.Bounds{}), lives.All[0]); err == nil {
			t.Errorf("%s: %d states, and nothing is wrong", mutants[i].name, c.States)
		} else {
			t.Logf("%s:\n%v", mutants[i].name, err)
		}
	}
}
