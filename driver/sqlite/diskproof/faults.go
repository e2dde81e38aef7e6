package diskproof

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/twicehq/twice/driver/sqlite/faultdisk"
)

// Faults is campaign F6: a short life of an engine, again and again, in which the n-th operation of a sort fails, once, for
// every n. No success may be told that is not one, nothing may hang, and work has to go on.
type Faults struct {
	Dir   string // where files may be made
	Seed  uint64
	Plans []string // of Plans; none: all
	// Stride is of how many places one is tried: 1.
	Stride int
	// Within stops when the time is up: the places tried by then are spread evenly over all. 0: there is no limit.
	Within time.Duration
}

// Fault is what it came to.
type Fault struct {
	Failed map[string]int // operations that failed, by the plan
	Places int            // where they could have failed
	Jobs   int            // accepted
	Lost   int            // jobs and effects of which something was not there
	Broken []string
}

// Tried is how many operations failed.
func (f Fault) Tried() (n int) {
	for _, of := range f.Failed {
		n += of
	}
	return n
}

// Run fights it.
func (f Faults) Run(ctx context.Context) (Fault, error) {
	s := &faulting{Faults: f, sum: Fault{Failed: map[string]int{}}}
	if err := s.survey(ctx); err != nil {
		return s.sum, err
	}
	if f.Within > 0 {
		s.until = time.Now().Add(f.Within)
	}
	var all sync.WaitGroup
	errs := make([]error, runtime.GOMAXPROCS(0))
	for i := range errs {
		all.Go(func() { errs[i] = s.work(ctx) })
	}
	all.Wait()
	s.sum.Broken = s.found.list()
	return s.sum, errors.Join(errs...)
}

// faulting is a campaign under way.
type faulting struct {
	Faults
	found findings
	until time.Time

	mu     sync.Mutex
	places []place // to be tried, in turn
	sum    Fault
}

// place is where an operation fails; 0: nowhere.
type place struct {
	plan
	n    int
	past bool // it is beyond those of a life in which nothing fails
}

// survey finds the places of each plan by a life in which nothing fails.
func (s *faulting) survey(ctx context.Context) error {
	var past []place
	for _, p := range plans {
		if len(s.Plans) > 0 && !slices.Contains(s.Plans, p.name) {
			continue
		}
		all, err := s.try(ctx, place{plan: p})
		if err != nil {
			return err
		}
		for n := range all {
			s.places = append(s.places, place{plan: p, n: n + 1})
		}
		past = append(past, place{plan: p, n: all + 1, past: true})
	}
	s.sum.Places = len(s.places)
	s.places = append(spread(s.places, rand.New(rand.NewPCG(s.Seed, 6)), max(1, s.Stride)), past...)
	return nil
}

// spread takes one of so many places, in an order in which those taken so far are spread evenly at any time: each is a
// golden section of the whole on from the one before.
func spread(all []place, chance *rand.Rand, stride int) (some []place) {
	if len(all) == 0 {
		return nil
	}
	step := int(float64(len(all)) * (math.Sqrt(5) - 1) / 2)
	for step < 1 || gcd(step, len(all)) > 1 {
		step++
	}
	for at := chance.IntN(len(all)); len(some)*stride < len(all); at = (at + step) % len(all) {
		some = append(some, all[at])
	}
	return some
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// work tries places until none is left, or the time is up.
func (s *faulting) work(ctx context.Context) error {
	for ctx.Err() == nil {
		p, more := s.next()
		if !more {
			return nil
		}
		reached, err := s.try(ctx, p)
		if err != nil {
			return err
		}
		if reached >= p.n {
			s.fired(p)
		}
	}
	return ctx.Err()
}

func (s *faulting) next() (p place, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.places) == 0 || !s.until.IsZero() && time.Now().After(s.until) {
		return p, false
	}
	p, s.places = s.places[0], s.places[1:]
	return p, true
}

// fired counts a place; where it was past the last, there may be one more.
func (s *faulting) fired(p place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sum.Failed[p.name]++
	if p.past {
		s.sum.Places++
		s.places = append(s.places, place{plan: p.plan, n: p.n + 1, past: true})
	}
}

// try fights a plan with one operation that fails, and gives how many of its sort there were.
func (s *faulting) try(ctx context.Context, p place) (reached int, err error) {
	d := faultdisk.New(nil, p.pragmas...)
	defer d.Close()
	d.Break(func(m faultdisk.Moment) error {
		if m.Op != p.op {
			return nil
		}
		if reached = m.N; reached == p.n {
			return p.err
		}
		return nil
	})
	one, err := newScript(s.Dir, fmt.Sprintf("%s, n = %d", p.name, p.n), d.Rig(), &s.found)
	if err != nil {
		return 0, err
	}
	before := s.found.count()
	p.fight(ctx, one, d)
	d.Break(nil)
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	s.mu.Lock()
	s.sum.Jobs += len(one.told)
	s.sum.Lost += one.lost
	s.mu.Unlock()
	if s.found.count() == before {
		one.remove() // else its files are kept
	}
	return reached, nil
}
