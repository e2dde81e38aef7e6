package campaign

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
)

// points are where a strike may land.
var points = []Point{Begun, BegunAgain, RowMade, ChargeAsked, ChargeMade, MailAsked, MailMade, Looked, Returned}

// draw draws where in a portion of so many jobs to strike: most jobs before its end have passed that point. Points that
// only a job passes which has crashed are not drawn before there was a strike that can have made one.
func draw(random *rand.Rand, points []Point, jobs int, struck bool) (Point, int) {
	if first := slices.DeleteFunc(slices.Clone(points), func(p Point) bool { return p.often() == 0 }); !struck && len(first) > 0 {
		points = first
	}
	point := points[random.IntN(len(points))]
	return point, 1 + random.IntN(max(1, jobs*point.often()*8/1000))
}

// blow is a strike under way.
type blow struct {
	f      *Field
	random *rand.Rand
	point  Point
	sprung <-chan struct{}
	healed chan error // gets one, once the victim was struck and is well again, or could not be struck
}

// arm sets the trap. In one of four strikes the victim is another process than the one that passes the point,
// unless the points were chosen. What heals the victim runs until ctx ends.
func (f *Field) arm(ctx context.Context, point Point, n int, random *rand.Rand) *blow {
	b := &blow{f: f, random: random, point: point, healed: make(chan error, 1)}
	bystander := random.IntN(4) == 0 && f.cfg.bystanders
	b.sprung = f.trap.set(point, n, func(e Event) bool {
		victim := f.crew.find(e.Process)
		if victim == nil || !victim.live() {
			return false // told by one that is gone, or by a suspect's process
		}
		if bystander {
			victim = f.crew.other(victim, random)
		}
		b.strike(ctx, victim)
		return true
	})
	return b
}

// strike strikes, and lets the healing begin: whatever the campaign itself does by then may be waiting for it,
// as a request does while a process is stopped that holds the store's lock.
func (b *blow) strike(ctx context.Context, victim *Process) {
	b.f.world.strike(victim.Name)
	heal, err := b.f.cfg.Attack.Strike(b.f, victim)
	if err != nil || heal == nil {
		b.healed <- err
		return
	}
	b.f.healing.Go(func() { b.healed <- heal(ctx) })
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
		b.strike(ctx, all[b.random.IntN(len(all))])
	}
	select {
	case err := <-b.healed:
		if ctx.Err() == nil {
			return b.point, err
		}
	case <-ctx.Done():
	}
	return "", fmt.Errorf("never: the victim of %s is well again: %w", b.f.cfg.Attack.Name, ctx.Err())
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
