package ledgertest

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// rounds is how often a race is run.
const rounds = 25

// together starts n calls at once and waits for all.
func together(n int, call func(i int)) {
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-start
			call(i)
		})
	}
	close(start)
	wg.Wait()
}

var raceRules = []Rule{
	{Name: "race/one-mine", Says: "Of many tries at once, exactly one entry is Mine.", Check: func(s *Scene) {
		l := s.lease("j")
		for n := range rounds {
			var mine [8]bool
			var failed [8]error
			together(len(mine), func(i int) {
				e, err := s.store.Intend(s.ctx, try(l, fmt.Sprint("s", n)))
				mine[i], failed[i] = e.Mine, err
			})
			s.must("Intend", errors.Join(failed[:]...))
			if got := slices.DeleteFunc(mine[:], func(m bool) bool { return !m }); len(got) != 1 {
				s.Errorf("%d tries were told Mine", len(got))
			}
		}
	}},
	{Name: "race/withdraw", Says: "Of a Withdraw and an Intend at once, one is served first: what was withdrawn nobody has seen.", Check: func(s *Scene) {
		l := s.lease("j")
		for n := range rounds {
			writer := try(l, fmt.Sprint("s", n))
			s.intend(writer)
			var gone bool
			var seen ledger.Entry
			var failed [2]error
			together(2, func(i int) {
				if i == 0 {
					gone, failed[0] = s.store.Withdraw(s.ctx, writer)
				} else {
					seen, failed[1] = s.store.Intend(s.ctx, try(l, writer.Step))
				}
			})
			s.must("the two", errors.Join(failed[:]...))
			if gone != seen.Mine {
				s.Errorf("withdrawn: %v, and the other's Mine: %v", gone, seen.Mine)
			}
		}
	}},
	{Name: "race/seal", Says: "After Seal has given its list, nothing more is intended, confirmed, doubted or withdrawn by that token.", Check: func(s *Scene) {
		for n := range rounds {
			l := s.lease(fmt.Sprint("j", n))
			steps := make([]ledger.Try, 8)
			for i := range steps {
				steps[i] = try(l, fmt.Sprint("s", i))
				if i%2 == 0 {
					s.intend(steps[i])
				}
			}
			var list []queue.Effect
			var failed error
			together(len(steps)+1, func(i int) {
				switch {
				case i == len(steps):
					list, failed = s.store.Seal(s.ctx, l.Job.ID, l.Token)
				case i%2 == 1:
					_, _ = s.store.Intend(s.ctx, steps[i])
				case i%4 == 0:
					_, _ = s.store.Withdraw(s.ctx, steps[i])
				default:
					_ = s.store.Confirm(s.ctx, steps[i], []byte("x"))
				}
			})
			s.must("Seal", failed)
			entries, err := s.store.Entries(s.ctx, l.Job.ID)
			s.must("Entries", err)
			if now := ledger.List(entries); !slices.Equal(now, list) {
				s.Errorf("sealed with the list %v, and then it was %v", list, now)
			}
		}
	}},
}

var fenceRules = []Rule{
	{Name: "fence/replaced", Says: "In a store that shares the engine's database, a try whose lease was replaced is refused; a confirmed entry is given to it.", Needs: []Need{shares}, Check: func(s *Scene) {
		zombie := s.first()
		s.intend(zombie)
		done := try(zombie.Lease, "done")
		s.recorded(done, "1")
		t := s.first()
		s.refused("with a replaced lease", zombie)
		s.is(zombie.Key(), ledger.Pending)
		done.ID = ledger.NewTryID()
		if e := s.intend(done); e.State != ledger.Confirmed || string(e.Result) != "1" {
			s.Errorf("the replaced holder got %+v", e)
		}
		s.recorded(t, "2")
	}},
	{Name: "fence/zombie-beside", Says: "A ledger that stands by itself lets a try of a lower token go on, until it is sealed.", Needs: []Need{beside}, Check: func(s *Scene) {
		zombie, t := s.first(), s.first()
		s.recorded(zombie, "1")
		if e := s.intend(t); string(e.Result) != "1" {
			s.Errorf("the later try got %+v", e)
		}
	}},
}
