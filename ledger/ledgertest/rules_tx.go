package ledgertest

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// within makes a transactional effect in a transaction of its own. It gives the result, whether do was
// called, and the transaction's error.
func (s *Scene) within(l queue.Lease, step, result string, after error) (string, bool, error) {
	called, got := false, ""
	err := s.store.(Transacting).Transact(s.ctx, func(tx ledger.Tx) (err error) {
		got, err = ledger.Within(queue.WithHolding(s.ctx, &queue.Holding{Lease: l}), tx, step, func(context.Context) (string, error) {
			called = true
			return result, nil
		})
		return errors.Join(err, after)
	})
	return got, called, err
}

func (s *Scene) gives(l queue.Lease, result, want string, made bool) {
	s.Helper()
	got, called, err := s.within(l, "a", result, nil)
	s.must("Within", err)
	if got != want || called != made {
		s.Errorf("it gave %q, made: %v; want %q, %v", got, called, want, made)
	}
}

var txRules = []Rule{
	{Name: "tx/once", Says: "What was recorded in a transaction that committed is given on every repeat, and not made again; Seal lists it.", Needs: []Need{transacts}, Check: func(s *Scene) {
		s.gives(s.lease("j"), "one", "one", true)
		l := s.lease("j")
		s.gives(l, "two", "one", false)
		if list := s.seal(l); len(list) != 1 || list[0] != (queue.Effect{Step: "a", State: queue.EffectRecorded}) {
			s.Errorf("the list is %v", list)
		}
		s.gives(l, "three", "one", false) // also to one that would be refused
	}},
	{Name: "tx/rollback", Says: "What was recorded in a transaction that rolled back never was.", Needs: []Need{transacts}, Check: func(s *Scene) {
		l, no := s.lease("j"), errors.New("no")
		_, _, err := s.within(l, "a", "one", no)
		s.want("the transaction", err, no)
		s.is(ledger.Key{Job: l.Job.ID, Step: "a"}, "")
		s.gives(l, "two", "two", true)
	}},
	{Name: "tx/own", Says: "A transaction sees what it recorded itself.", Needs: []Need{transacts}, Check: func(s *Scene) {
		l, calls := s.lease("j"), 0
		err := s.store.(Transacting).Transact(s.ctx, func(tx ledger.Tx) error {
			for range 2 {
				if _, err := ledger.Within(queue.WithHolding(s.ctx, &queue.Holding{Lease: l}), tx, "a", func(context.Context) (int, error) { calls++; return 1, nil }); err != nil {
					return err
				}
			}
			return nil
		})
		s.must("the transaction", err)
		if calls != 1 {
			s.Errorf("made %d times", calls)
		}
	}},
	{Name: "tx/refused", Says: "A transaction's effect is refused where the job was sealed or is at or before the mark; then do is not called.", Needs: []Need{transacts}, Check: func(s *Scene) {
		sealed, stale := s.lease("j"), s.lease("k")
		s.seal(sealed)
		s.old()
		for _, l := range []queue.Lease{sealed, stale} {
			_, called, err := s.within(l, "a", "late", nil)
			s.want("Within", err, queue.ErrLeaseLost)
			if called {
				s.Errorf("it was made")
			}
			s.is(ledger.Key{Job: l.Job.ID, Step: "a"}, "")
		}
	}},
	{Name: "tx/outside", Says: "A step that is an effect outside, and not confirmed, is ErrState in a transaction.", Needs: []Need{transacts}, Check: func(s *Scene) {
		t := s.first()
		s.intend(t)
		_, called, err := s.within(t.Lease, "a", "one", nil)
		s.want("Within", err, queue.ErrState)
		if called {
			s.Errorf("it was made")
		}
		s.is(t.Key(), ledger.Pending)
	}},
	{Name: "tx/one-commits", Says: "Of transactions that record one effect at once, one commits; the others fail or get its result.", Needs: []Need{transacts}, Check: func(s *Scene) {
		l := s.lease("j")
		var made, failed atomic.Int64
		together(4, func(int) {
			_, called, err := s.within(l, "a", "one", nil)
			switch {
			case err != nil:
				failed.Add(1)
			case called:
				made.Add(1)
			}
		})
		if made.Load() != 1 {
			s.Errorf("%d made it and committed, %d failed", made.Load(), failed.Load())
		}
		s.gives(l, "two", "one", false)
	}},
	{Name: "tx/seal-first", Says: "A transaction in which the job is sealed before it commits makes nothing, or the seal lists what it made.", Needs: []Need{transacts}, Check: func(s *Scene) {
		for range rounds {
			l := s.lease("j")
			var list []queue.Effect
			var committed, sealed error
			step := ledger.NewTryID()
			name := "s" + queue.ID(step).String()[:8]
			together(2, func(i int) {
				if i == 0 {
					_, _, committed = s.within(l, name, "one", nil)
				} else {
					list, sealed = s.store.Seal(s.ctx, l.Job.ID, l.Token)
				}
			})
			s.must("Seal", sealed)
			listed := false
			for _, e := range list {
				listed = listed || e.Step == name
			}
			if made := committed == nil; made != listed {
				s.Errorf("committed: %v (%v); listed: %v", made, committed, listed)
			}
		}
	}},
}
