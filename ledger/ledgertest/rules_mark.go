package ledgertest

import (
	"context"
	"errors"
	"time"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

var markRules = []Rule{
	{Name: "mark/refuses", Says: "A job last fresh at or before the mark makes no effect; one fresh after it does.", Check: func(s *Scene) {
		frozen := s.first()
		s.intend(frozen)
		s.clock.Advance(queue.Resolution)
		after := try(s.lease("k"), "a")
		s.clock.Advance(ledger.KeepFor)
		s.must("MoveMark", s.store.MoveMark(s.ctx, frozen.Lease.FreshAt))
		s.refused("at the mark", frozen)
		s.refused("at the mark, of another step", try(frozen.Lease, "b"))
		s.intend(after)
		s.recorded(s.first(), "1") // the same job, claimed since
	}},
	{Name: "mark/never-back", Says: "The mark never goes back.", Check: func(s *Scene) {
		t := s.first()
		s.old()
		s.must("MoveMark", s.store.MoveMark(s.ctx, t.Lease.FreshAt.Add(-time.Hour)))
		s.refused("after an older mark", t)
	}},
	{Name: "mark/never-too-far", Says: "The mark never goes beyond the clock less KeepFor: asked for more, it goes that far.", Check: func(s *Scene) {
		frozen := s.first()
		s.clock.Advance(ledger.KeepFor)
		alive := try(s.lease("k"), "a")
		s.must("MoveMark", s.store.MoveMark(s.ctx, s.clock.Now().Add(time.Hour)))
		s.recorded(alive, "1")
		s.refused("at the farthest mark", frozen)
	}},
}

var sweepRules = []Rule{
	{Name: "sweep/old", Says: "Sweep deletes entries and seals at or before the mark, and nothing before the mark has moved.", Check: func(s *Scene) {
		t := s.first()
		s.recorded(t, "1")
		s.seal(s.lease("k"))
		s.clock.Advance(time.Minute)
		young := try(s.lease("l"), "a")
		s.recorded(young, "1")
		s.sweep(10, 0, all)
		s.clock.Advance(ledger.KeepFor)
		s.sweep(10, 0, all)
		s.must("MoveMark", s.store.MoveMark(s.ctx, t.Lease.FreshAt))
		s.sweep(10, 2, all)
		s.is(t.Key(), "")
		s.is(young.Key(), ledger.Confirmed)
		s.sweep(10, 0, all)
	}},
	{Name: "sweep/forgotten-only", Says: "What the engine still has stays, and holds up no others, whatever the limit.", Check: func(s *Scene) {
		for _, key := range []string{"a", "b", "c", "d", "e"} {
			s.recorded(try(s.lease(key), "a"), key)
		}
		gone := queue.NewID("k", "e")
		s.old()
		s.sweep(1, 1, func(_ context.Context, ids []queue.ID) ([]bool, error) {
			answer := make([]bool, len(ids))
			for i, id := range ids {
				answer[i] = id == gone
			}
			return answer, nil
		})
		s.is(ledger.Key{Job: gone, Step: "a"}, "")
		s.is(ledger.Key{Job: queue.NewID("k", "a"), Step: "a"}, ledger.Confirmed)
	}},
	{Name: "sweep/limit", Says: "Sweep takes at most limit jobs at a call, each whole.", Check: func(s *Scene) {
		for _, key := range []string{"a", "b", "c"} {
			l := s.lease(key)
			s.recorded(try(l, "x"), "1")
			s.recorded(try(l, "y"), "1")
			s.seal(l)
		}
		s.old()
		s.sweep(0, 0, all)
		s.sweep(2, 2, all)
		s.sweep(2, 1, all)
	}},
	{Name: "sweep/seal-outlives", Says: "A job stays while its seal is later than the mark: whoever it bars may still wake.", Check: func(s *Scene) {
		t := s.first()
		s.recorded(t, "1")
		s.clock.Advance(time.Minute)
		zombie := try(s.lease("j"), "b")
		s.clock.Advance(time.Minute)
		s.seal(zombie.Lease)
		s.clock.Advance(ledger.KeepFor)
		s.must("MoveMark", s.store.MoveMark(s.ctx, t.Lease.FreshAt.Add(30*time.Second)))
		s.sweep(10, 0, all)
		s.refused("after the sweep", zombie)
		s.is(t.Key(), ledger.Confirmed)
	}},
	{Name: "sweep/refreshed", Says: "A repeat that finds the entry keeps it, and with it the whole job.", Check: func(s *Scene) {
		t := s.first()
		s.recorded(t, "1")
		at := s.clock.Now()
		s.clock.Advance(time.Hour)
		s.intend(s.first())
		s.clock.Advance(ledger.KeepFor)
		s.must("MoveMark", s.store.MoveMark(s.ctx, at))
		s.sweep(10, 0, all)
		s.is(t.Key(), ledger.Confirmed)
	}},
	{Name: "sweep/no-higher", Says: "What a later seal added after forgotten was asked stays, however old it has become since.", Check: func(s *Scene) {
		t := s.first()
		s.recorded(t, "1")
		s.old()
		s.sweep(10, 0, func(_ context.Context, ids []queue.ID) ([]bool, error) {
			s.seal(s.lease("j")) // the id came back, as another row, while the engine was asked
			s.old()
			return []bool{true}, nil
		})
		s.is(t.Key(), ledger.Confirmed)
		s.sweep(10, 1, all)
	}},
	{Name: "sweep/came-back", Says: "What a try of a higher token made after forgotten was asked stays.", Check: func(s *Scene) {
		t := s.first()
		s.recorded(t, "1")
		s.old()
		s.sweep(10, 0, func(_ context.Context, ids []queue.ID) ([]bool, error) {
			s.recorded(try(s.lease("j"), "b"), "2")
			return []bool{true}, nil
		})
		s.is(t.Key(), ledger.Confirmed)
	}},
	{Name: "sweep/engine-fails", Says: "Where the engine cannot say, Sweep gives its error and deletes nothing.", Check: func(s *Scene) {
		t := s.first()
		s.recorded(t, "1")
		s.old()
		down := errors.New("down")
		n, err := s.store.Sweep(s.ctx, 10, func(context.Context, []queue.ID) ([]bool, error) { return nil, down })
		s.want("Sweep", err, down)
		if n != 0 {
			s.Errorf("it took %d", n)
		}
		s.is(t.Key(), ledger.Confirmed)
	}},
}
