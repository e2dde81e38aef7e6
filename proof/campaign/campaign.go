package campaign

import (
	"context"
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
	if err := f.Hire(ctx, f.cfg.Workers); err != nil {
		return fail(err)
	}
	struck, repeats, err := f.fight(ctx)
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
	e.attack.planned = f.cfg.Strikes
	for _, n := range struck {
		e.attack.made += n
	}
	r := f.report(e, began)
	r.StruckAt, r.Repeats, r.InDoubt = struck, repeats, doubts
	return r, f.Leave()
}

// fight enqueues and strikes. It gives how often it struck at each point, and how many requests were sent again.
func (f *Field) fight(ctx context.Context) (map[Point]int, int, error) {
	random := rand.New(rand.NewPCG(f.cfg.Seed, 1))
	p := &producer{f: f, random: rand.New(rand.NewPCG(f.cfg.Seed, 2))}
	struck := map[Point]int{}
	left := f.cfg.Jobs
	for i := range f.cfg.Strikes {
		size := left / (f.cfg.Strikes + 1 - i)
		left -= size
		point, n := draw(random, f.cfg.Points, size, i > struck[Idle])
		blow := f.arm(ctx, point, n, random)
		if err := p.portion(ctx, size); err != nil {
			return nil, 0, fmt.Errorf("portion %d: %w", i+1, err)
		}
		at, err := blow.land(ctx)
		if err != nil {
			return nil, 0, fmt.Errorf("strike %d, at %s: %w", i+1, point, err)
		}
		struck[at]++
	}
	err := p.portion(ctx, left)
	return struck, p.repeats, err
}

// settleDown waits until everything has ended, answers doubts, and ends the processes.
func (f *Field) settleDown(ctx context.Context) (doubts int, err error) {
	if err := f.Drained(ctx); err != nil {
		return 0, err
	}
	if doubts, err = f.resolve(ctx); err != nil {
		return 0, err
	}
	return doubts, f.Dismiss()
}
