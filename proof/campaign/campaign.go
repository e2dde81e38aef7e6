package campaign

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// leastPortion is the least number of jobs for each strike.
const leastPortion = 20

// Run runs a campaign: the jobs are enqueued in as many portions as there are strikes and one more, each
// beside the load of the one before, and each portion takes one strike, at a point drawn by the seed. When
// all have ended, doubts are answered as a person would, the processes are ended, and everything is
// checked. The error says that the campaign could not be carried out; what it found is in the report.
func Run(ctx context.Context, cfg Config) (Report, error) {
	began := time.Now()
	cfg, err := cfg.complete()
	if err != nil {
		return Report{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, cfg.Timeout)
	defer cancel()
	f, err := Enter(ctx, cfg)
	if err != nil {
		return Report{}, err
	}
	defer func() {
		cancel() // first, so that no victim is kept from ending
		_ = f.Leave()
	}()
	fail := func(err error) (Report, error) {
		return Report{}, fmt.Errorf("campaign %s, seed %d: %w", f.cfg.Name, cfg.Seed, err)
	}
	a, err := f.attack(ctx)
	if err != nil {
		return fail(err)
	}
	doubts, err := f.settleDown(ctx)
	if err != nil {
		return fail(err)
	}
	e, err := f.evidence(ctx)
	if err != nil {
		return fail(err)
	}
	if e.kept = a.kept; f.cfg.Redriven {
		e.redriven.planned, e.redriven.made = len(e.accepted), a.redriven
	}
	e.attack.planned = f.cfg.Strikes
	for _, n := range a.struck {
		e.attack.made += n
	}
	r := f.report(e, began)
	r.StruckAt, r.Repeats, r.Redriven, r.InDoubt = a.struck, a.repeats, a.redriven, doubts
	return r, f.Leave()
}

// attacked is how an attack went.
type attacked struct {
	struck   map[Point]int
	repeats  int      // requests that were sent again
	redriven int      // jobs
	kept     []string // what workers did not give back
}

// attack brings the workers, and all that befalls them.
func (f *Field) attack(ctx context.Context) (a attacked, err error) {
	p := &producer{f: f, random: rand.New(rand.NewPCG(f.cfg.Seed, 2))}
	if err := p.portion(ctx, f.cfg.Backlog); err != nil {
		return a, fmt.Errorf("backlog: %w", err)
	}
	if err := f.Hire(ctx, f.cfg.Workers); err != nil {
		return a, err
	}
	var before map[string]Vitals
	if f.cfg.Flat {
		if before, err = f.warm(ctx, p); err != nil {
			return a, err
		}
	}
	if f.cfg.Redriven {
		r := f.redriver(ctx)
		defer func() {
			var failed error
			a.redriven, failed = r.end()
			err = errors.Join(err, failed)
		}()
	}
	if err := f.produce(ctx, f.cfg.Producers); err != nil {
		return a, err
	}
	if a.struck, err = f.fight(ctx, p); err != nil {
		return a, err
	}
	if err := f.finishProducing(ctx); err != nil {
		return a, err
	}
	a.repeats = p.repeats
	if err := f.outlive(ctx); err != nil {
		return a, err
	}
	if f.cfg.Flat {
		a.kept, err = f.flat(ctx, before)
	}
	return a, err
}

// warm has the workers do some jobs, and gives what they hold at rest afterwards.
func (f *Field) warm(ctx context.Context, p *producer) (map[string]Vitals, error) {
	if err := p.portion(ctx, leastPortion*f.cfg.Workers); err != nil {
		return nil, err
	}
	if err := f.Drained(ctx); err != nil {
		return nil, err
	}
	return f.resting(ctx)
}

// outlive waits until every job has ended, or where crashes are not counted, until poison was started more often than
// its cap: it would never end.
func (f *Field) outlive(ctx context.Context) error {
	if f.cfg.Control != CrashesOff {
		return f.Drained(ctx)
	}
	return f.Until(ctx, "poison is started more often than its cap", func(context.Context) (bool, error) {
		for _, id := range f.world.poisons() {
			if f.world.starts(id) > f.cfg.MaxCrashes {
				return true, nil
			}
		}
		return false, nil
	})
}

// fight enqueues and strikes. It gives how often it struck at each point.
func (f *Field) fight(ctx context.Context, p *producer) (map[Point]int, error) {
	random := rand.New(rand.NewPCG(f.cfg.Seed, 1))
	struck := map[Point]int{}
	left := f.cfg.Jobs
	if err := p.poison(ctx); err != nil {
		return nil, err
	}
	for i := range f.cfg.Strikes {
		size := left / (f.cfg.Strikes + 1 - i)
		left -= size
		point, n := draw(random, f.cfg.Points, size, i > struck[Idle])
		blow := f.arm(ctx, point, n, random)
		if err := p.portion(ctx, size); err != nil {
			return nil, fmt.Errorf("portion %d: %w", i+1, err)
		}
		at, err := blow.land(ctx)
		if err != nil {
			return nil, fmt.Errorf("strike %d, at %s: %w", i+1, point, err)
		}
		struck[at]++
	}
	return struck, p.portion(ctx, left)
}

// settleDown answers doubts, and ends the processes.
func (f *Field) settleDown(ctx context.Context) (doubts int, err error) {
	if f.cfg.Control != CrashesOff {
		if doubts, err = f.resolve(ctx); err != nil {
			return 0, err
		}
	}
	return doubts, f.Dismiss()
}
