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
	f, err := Enter(ctx, cfg)
	if err != nil {
		return Report{}, err
	}
	defer f.Leave()
	ctx, cancel := context.WithTimeout(ctx, f.cfg.Timeout)
	defer cancel()
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
		point, n := draw(random, f.cfg.Points, size)
		blow := f.arm(point, n, random)
		if err := p.portion(ctx, size); err != nil {
			return nil, 0, err
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

// points are where a strike may land.
var points = []Point{Begun, BegunAgain, RowMade, ChargeAsked, ChargeMade, MailAsked, MailMade, Looked, Returned}

// draw draws where in a portion of so many jobs to strike: most jobs before its end have passed that point.
func draw(random *rand.Rand, points []Point, jobs int) (Point, int) {
	point := points[random.IntN(len(points))]
	return point, 1 + random.IntN(max(1, jobs*point.often()*8/1000))
}

// blow is a strike under way.
type blow struct {
	f      *Field
	random *rand.Rand
	point  Point
	sprung <-chan struct{}
	heal   func(context.Context) error
	err    error
}

// arm sets the trap. In one of four strikes the victim is another process than the one that passes the point,
// unless the points were chosen.
func (f *Field) arm(point Point, n int, random *rand.Rand) *blow {
	b := &blow{f: f, random: random, point: point}
	bystander := random.IntN(4) == 0 && f.cfg.bystanders
	b.sprung = f.trap.set(point, n, func(e Event) bool {
		victim := f.crew.find(e.Process)
		if victim == nil || !victim.live() {
			return false // told by one that is gone, or by a suspect's process
		}
		if bystander {
			victim = f.crew.other(victim, random)
		}
		b.heal, b.err = f.cfg.Attack.Strike(f, victim)
		return true
	})
	return b
}

// Idle is where a strike lands whose point was not passed before all that was enqueued had ended.
const Idle Point = "idle"

// land waits for the strike and what follows it, and gives the point where it struck.
func (b *blow) land(ctx context.Context) (Point, error) {
	if err := b.await(ctx); err != nil {
		return "", err
	}
	if b.f.trap.unset() {
		all := b.f.Processes()
		b.point = Idle
		b.heal, b.err = b.f.cfg.Attack.Strike(b.f, all[b.random.IntN(len(all))])
	}
	if b.err == nil && b.heal != nil {
		b.err = b.heal(ctx)
	}
	return b.point, errors.Join(b.err, ctx.Err())
}

// await returns when the strike has landed, or no more can come of what was enqueued.
func (b *blow) await(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	idle := make(chan error, 1)
	go func() { idle <- b.f.Drained(ctx) }()
	select {
	case <-b.sprung:
		return nil
	case err := <-idle:
		return err
	}
}
