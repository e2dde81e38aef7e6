package campaign

import (
	"context"
	"errors"
	"math/rand/v2"
)

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
		b.strike(victim)
		return true
	})
	return b
}

func (b *blow) strike(victim *Process) {
	b.f.world.strike(victim.Name)
	b.heal, b.err = b.f.cfg.Attack.Strike(b.f, victim)
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
		b.strike(all[b.random.IntN(len(all))])
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
