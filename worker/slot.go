package worker

import (
	"context"
	"time"

	"github.com/twicehq/twice/queue"
)

// offer gives an attempt to the slots. Few goroutines serve many slots while handlers are quick: each takes
// one attempt after the other and ends when none waits. So their stacks stay warm, and idle slots cost nothing.
func (r *runner) offer(a *attempt) {
	r.work <- a
	r.another()
}

// another starts one more goroutine while attempts wait, unless one has been started and has not begun yet:
// when it takes up an attempt it starts the next.
func (r *runner) another() {
	if len(r.work) > 0 && r.starting.CompareAndSwap(false, true) {
		go r.slot()
	}
}

func (r *runner) slot() {
	r.starting.Store(false)
	for {
		select {
		case a := <-r.work:
			r.another()
			r.attend(a)
		default:
			return
		}
	}
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
