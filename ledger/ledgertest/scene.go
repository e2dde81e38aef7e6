package ledgertest

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// Scene is an empty store and what a rule does with it.
type Scene struct {
	T
	store  ledger.Store
	clock  *Clock
	ctx    context.Context
	tokens map[string]int64
}

func newScene(t T, store ledger.Store, clock *Clock) *Scene {
	return &Scene{T: t, store: store, clock: clock, ctx: context.Background(), tokens: map[string]int64{}}
}

var ann = queue.Actor{Name: "ann", Why: "a rule of the suite"}

// lease claims the job of that key anew: the next token, fresh now.
func (s *Scene) lease(key string) queue.Lease {
	s.Helper()
	job := queue.Job{ID: queue.NewID("k", key), Queue: "q", Kind: "k", Key: key}
	if l, ok := s.store.(Leasing); ok {
		lease, err := l.Lease(s.ctx, job)
		s.must("lease", err)
		return lease
	}
	s.tokens[key]++
	n := s.tokens[key]
	return queue.Lease{Job: job, ID: queue.NewClaimID().Lease(job.ID, n), Token: n, ClaimedAt: s.clock.Now(),
		Until: s.clock.Now().Add(30 * time.Second), FreshAt: s.clock.Now()}
}

// try is a new try of a step.
func try(lease queue.Lease, step string) ledger.Try {
	return ledger.Try{ID: ledger.NewTryID(), Lease: lease, Step: step, Fingerprint: 7}
}

// first is a new try, by a new lease, of step "a" of the job "j".
func (s *Scene) first() ledger.Try { s.Helper(); return try(s.lease("j"), "a") }

func (s *Scene) must(what string, err error) {
	s.Helper()
	if err != nil {
		s.Fatalf("%s: %v", what, err)
	}
}

// want fails unless err is the reason.
func (s *Scene) want(what string, err, reason error) {
	s.Helper()
	if !errors.Is(err, reason) {
		s.Errorf("%s gave %v, want %v", what, err, reason)
	}
}

func (s *Scene) intend(t ledger.Try) ledger.Entry {
	s.Helper()
	e, err := s.store.Intend(s.ctx, t)
	s.must("Intend", err)
	return e
}

func (s *Scene) confirm(t ledger.Try, result string) {
	s.Helper()
	s.must("Confirm", s.store.Confirm(s.ctx, t, []byte(result)))
}

// recorded intends and confirms.
func (s *Scene) recorded(t ledger.Try, result string) {
	s.Helper()
	s.intend(t)
	s.confirm(t, result)
}

func (s *Scene) withdraw(t ledger.Try, want bool) {
	s.Helper()
	ok, err := s.store.Withdraw(s.ctx, t)
	s.must("Withdraw", err)
	if ok != want {
		s.Errorf("Withdraw gave %v, want %v", ok, want)
	}
}

func (s *Scene) seal(l queue.Lease) []queue.Effect {
	s.Helper()
	list, err := s.store.Seal(s.ctx, l.Job.ID, l.Token)
	s.must("Seal", err)
	return list
}

// entry gives the stored entry; the zero one where there is none.
func (s *Scene) entry(k ledger.Key) ledger.Entry {
	s.Helper()
	all, err := s.store.Entries(s.ctx, k.Job)
	s.must("Entries", err)
	if i := slices.IndexFunc(all, func(e ledger.Entry) bool { return e.Key == k }); i >= 0 {
		return all[i]
	}
	return ledger.Entry{}
}

// is fails unless the stored entry is in that state; "" is none.
func (s *Scene) is(k ledger.Key, want ledger.State) {
	s.Helper()
	if got := s.entry(k).State; got != want {
		s.Errorf("the entry %s is %q, want %q", k.Step, got, want)
	}
}

// refused fails unless all four writes of the try are refused as lease lost.
func (s *Scene) refused(why string, t ledger.Try) {
	s.Helper()
	_, err := s.store.Intend(s.ctx, t)
	s.want("Intend "+why, err, queue.ErrLeaseLost)
	s.want("Confirm "+why, s.store.Confirm(s.ctx, t, []byte("late")), queue.ErrLeaseLost)
	s.want("Doubt "+why, s.store.Doubt(s.ctx, t), queue.ErrLeaseLost)
	_, err = s.store.Withdraw(s.ctx, t)
	s.want("Withdraw "+why, err, queue.ErrLeaseLost)
}

// old lets everything so far come to lie at or before the mark.
func (s *Scene) old() {
	s.Helper()
	at := s.clock.Now()
	s.clock.Advance(ledger.KeepFor)
	s.must("MoveMark", s.store.MoveMark(s.ctx, at))
}

func all(_ context.Context, ids []queue.ID) ([]bool, error) {
	return slices.Repeat([]bool{true}, len(ids)), nil
}

func (s *Scene) sweep(limit, want int, forgotten func(context.Context, []queue.ID) ([]bool, error)) {
	s.Helper()
	n, err := s.store.Sweep(s.ctx, limit, forgotten)
	s.must("Sweep", err)
	if n != want {
		s.Errorf("Sweep took %d jobs, want %d", n, want)
	}
}
