package worker

import (
	"context"
	"time"

	"github.com/twicehq/twice/queue"
)

// slot runs attempts, one at a time. A handler that ends its goroutine (runtime.Goexit) ends the slot's,
// and another takes its place.
func (r *runner) slot() {
	whole := false
	defer func() {
		if !whole {
			go r.slot()
		}
	}()
	for a := range r.work {
		r.attend(a)
	}
	whole = true
}

// attend runs one attempt to its end, whatever its handler does.
func (r *runner) attend(a *attempt) {
	if s, run := Begin(*a.lease(), a.handler.rules, a.now()); !run {
		a.phase.Store(ended)
		a.end = s
		r.tell(r.base, Event{What: Ended, Lease: a.lease(), Settlement: &a.end, Outcome: s.Outcome})
		r.end(a)
		return
	}
	stop := a.prepare(r.base, r.cfg.Logger, r.cfg.Name)
	a.phase.Store(running)
	if cause := r.unwanted(a); cause != nil {
		a.cancel(cause)
		stop()
		if a.lost.Load() != nil && a.phase.CompareAndSwap(running, ended) {
			r.drop(a)
		} else {
			r.giveBack(a)
		}
		return
	}
	r.tell(a.ctx, Event{What: Started, Lease: a.lease(), Wait: a.waited(), Alone: a.alone})
	var end Ending
	returned := false
	defer func() {
		if !returned {
			end = panicked(recover())
		}
		r.returned(a, end)
		stop()
		a.cancel(nil)
	}()
	answer := a.handler.run(a.ctx, *a.lease())
	end = ending(answer, context.Cause(a.ctx))
	returned = true
}

// returned settles what a handler answered, unless it is too late for that.
func (r *runner) returned(a *attempt, end Ending) {
	took := time.Since(a.since)
	if !a.phase.CompareAndSwap(running, ended) {
		r.heard(a, took)
		return
	}
	e := Event{What: Ended, Lease: a.lease(), Outcome: end.Outcome, Run: took, Alone: a.alone}
	if lost := a.lost.Load(); lost != nil {
		if end.Outcome != queue.OutcomeDone {
			e.Outcome = 0
		}
		e.Err = lost.err
		r.tell(a.ctx, e)
		r.drop(a)
		return
	}
	if end.Outcome == queue.OutcomeDone && a.holding.Settled() {
		r.tell(a.ctx, e)
		r.tell(a.ctx, Event{What: Settled, Lease: a.lease(), Outcome: end.Outcome})
		r.drop(a)
		return
	}
	a.decide(end)
	e.Settlement = &a.end
	r.tell(a.ctx, e)
	r.end(a)
}
