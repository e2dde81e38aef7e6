package explore_test

import (
	"time"

	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/proof/explore"
	"github.com/twicehq/twice/proof/explore/lives"
	"github.com/twicehq/twice/queue"
)

// Of bounds, those where time is explored.
const (
	inTime = 4
	later  = 5
)

// timedMutants are broken where it matters when something happened.
var timedMutants = []mutant{
	{"a claim does not make its job fresh", inTime, broken{look: func(_ *broken, r *queue.Record) {
		if r.FreshAt.Equal(r.ClaimedAt) {
			r.FreshAt = r.Job.Origin
		}
	}}},
	{"a duplicate with a later origin changes nothing", inTime, broken{enqueue: func(e *broken, jobs []queue.Job) ([]queue.Receipt, error) {
		if _, err := e.Engine.Job(ctx, jobs[0].ID); err == nil && !jobs[0].Origin.After(e.now()) {
			jobs[0].Origin = time.Time{}
		}
		return e.Engine.Enqueue(ctx, jobs...)
	}}},
	{"an origin at or before the mark is accepted", inTime, broken{enqueue: func(e *broken, jobs []queue.Job) ([]queue.Receipt, error) {
		if mark, _ := e.Mark(ctx, "q"); !jobs[0].Origin.After(mark) {
			jobs[0].Origin = time.Time{}
		}
		return e.Engine.Enqueue(ctx, jobs...)
	}}},
	{"an origin ahead of the clock is accepted", inTime, broken{enqueue: func(e *broken, jobs []queue.Job) ([]queue.Receipt, error) {
		if jobs[0].Origin.After(e.now()) {
			jobs[0].Origin = e.now()
		}
		return e.Engine.Enqueue(ctx, jobs...)
	}}},
	{"the mark goes beyond the horizon", later, broken{horizon: 1}},
	{"pruning moves the mark", inTime, broken{prune: func(e *broken, limit int) (int, error) {
		_ = e.MoveMark(ctx, e.now())
		return e.Engine.Prune(ctx, limit)
	}}},
	{"what is above the mark is reaped", inTime, broken{reap: func(e *broken, limit int) (int, error) { return e.Engine.Prune(ctx, limit) }}},
	{"dead letters are reaped", inTime, broken{reap: func(e *broken, limit int) (int, error) {
		_, _ = e.Engine.Discard(ctx, queue.Actor{Name: "mutant", Why: "test"}, queue.NewID("k", "a"))
		return e.Engine.Reap(ctx, limit)
	}}},
	{"the token floor is forgotten", inTime, broken{
		prune: func(e *broken, limit int) (int, error) { return e.forgetFloor(e.Engine.Prune(ctx, limit)) },
		reap:  func(e *broken, limit int) (int, error) { return e.forgetFloor(e.Engine.Reap(ctx, limit)) },
	}},
}

// forgetFloor goes on with a new engine, of which only the mark is the old one's.
func (e *broken) forgetFloor(n int, err error) (int, error) {
	if n > 0 {
		mark, _ := e.Mark(ctx, "q")
		e.Engine, _ = memory.New(lives.ConfigOf(explore.Bounds{Instants: 3, Horizon: 1}, e.now))
		_ = e.MoveMark(ctx, mark)
	}
	return n, err
}
