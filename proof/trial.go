package proof

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// trial is one schedule in one fresh world.
type trial struct {
	p      *plan
	o      *Outside
	clock  *clock
	memory *memory.Engine
	engine queue.Engine // where the job rests: memory, or the world's own
	store  ledger.Store // as it is, unseen
	apart  bool         // the ledger is no part of the engine
	world  any
	job    queue.Job
	like   queue.Record // how the reference ended; zero in the reference itself

	attempts []*attempt
	over     chan struct{}
	current  atomic.Pointer[attempt]
	byPerson int
	reaped   bool
	missed   bool // a move asked for a point that its attempt did not come to
	final    queue.Record

	mu       sync.Mutex
	steps    []step
	calls    []*made
	owners   map[string]*attempt
	cleanups []func()
	deaths   map[*attempt][]func()
}

// try runs one schedule. like is the reference's result, nil where this is it.
func (p *plan) try(s schedule, like *result) (r *result) {
	t := &trial{p: p, clock: newClock(), over: make(chan struct{}), owners: map[string]*attempt{}, deaths: map[*attempt][]func(){}}
	t.o = &Outside{t}
	r = &result{schedule: s}
	if like != nil {
		t.like = like.final
	}
	defer func() {
		if v := recover(); v != nil {
			found, ok := v.(*problem)
			if !ok {
				panic(v)
			}
			r.problem = found
		}
		r.steps, r.calls, r.byPerson, r.final = t.steps, t.calls, t.byPerson, t.final
		for _, a := range t.attempts {
			r.points = append(r.points, a.points)
		}
		t.end()
	}()
	t.open()
	for _, m := range s {
		t.move(m)
	}
	t.finish()
	r.fired = !t.missed
	r.entries = t.recorded()
	r.world, r.seen = p.observe(t.world), true
	t.balance()
	return r
}

// open makes the world and stores the job.
func (t *trial) open() {
	var err error
	t.memory, err = memory.New(memory.Config{Now: t.clock.now})
	t.must("open the engine", err)
	t.engine, t.store = t.memory, t.memory.Ledger()
	t.world, err = t.p.world(t.o)
	t.must("make the world", err)
	t.job, err = t.p.job(context.Background(), t.origin())
	t.must("make the job", err)
	receipts, err := t.engine.Enqueue(context.Background(), t.job)
	t.must("store the job", err)
	t.must("store the job", receipts[0].Err)
}

// end lets everything go that still stands, and cleans up. What stands is ended where it stands.
func (t *trial) end() {
	for _, a := range t.attempts {
		a.cancel()
	}
	close(t.over)
	for _, a := range t.attempts {
		if !a.over && (a.at == nil || !a.at.own) {
			continue // the handler's own goroutine stands nowhere: nobody can end it
		}
		select {
		case <-a.exited:
		case <-time.After(t.p.limits.Patience): // a defer of it waits for what does not come
		}
	}
	for i := len(t.cleanups) - 1; i >= 0; i-- {
		t.cleanups[i]()
	}
	_ = t.memory.Close()
}
