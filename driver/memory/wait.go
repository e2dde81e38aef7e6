package memory

import (
	"context"
	"slices"
	"time"

	"github.com/twicehq/twice/queue"
)

// Claim implements [queue.Engine]. A claim that waits is woken by whatever makes a job due that it may
// have: an enqueue, a settlement, a redrive, a resume, or the time. Those who wait first are served first,
// and no more are woken than there is work for.
func (e *Engine) Claim(ctx context.Context, req queue.Claim) ([]queue.Lease, error) {
	if err := e.checkClaim(req); err != nil {
		return nil, err
	}
	now, leave, err := e.enter(ctx, "claim")
	if err != nil {
		return nil, err
	}
	leases := e.lease(req, now)
	if len(leases) > 0 || req.Wait == 0 {
		leave()
		return leases, nil
	}
	w := &waiter{req: req, woken: make(chan struct{}, 1), offered: map[*row]bool{}}
	e.waiters = append(e.waiters, w)
	leave()
	over := time.NewTimer(req.Wait)
	defer over.Stop()
	for {
		var last bool
		select {
		case <-w.woken:
		case <-over.C:
			last = true
		case <-ctx.Done():
			err = &queue.Error{Op: "claim", Subject: req.Worker, Reason: ctx.Err(), Detail: "nothing was leased"}
		case <-e.closed:
			err = &queue.Error{Op: "claim", Subject: req.Worker, Reason: queue.ErrClosed}
		}
		if leases, over := e.fetch(w, last, err); over {
			return leases, err
		}
	}
}

// fetch is one look of a waiter; true: the last one.
func (e *Engine) fetch(w *waiter, last bool, err error) ([]queue.Lease, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.pass()
	defer func() { e.wind(now) }()
	var leases []queue.Lease
	if err == nil {
		leases = e.lease(w.req, now)
	}
	if last || err != nil || len(leases) > 0 {
		e.waiters = slices.DeleteFunc(e.waiters, func(o *waiter) bool { return o == w })
		w.decline(e.offer)
		return leases, true
	}
	w.decline(func(*row) bool { return false })
	return nil, false
}

// lease gives what the claim has already, or else something new.
func (e *Engine) lease(req queue.Claim, now time.Time) []queue.Lease {
	if leases := e.again(req); leases != nil {
		return leases
	}
	return e.grant(req, now)
}

// waiter is a claim that waits.
type waiter struct {
	req     queue.Claim
	woken   chan struct{}
	offered map[*row]bool // due rows that it was woken for and that nobody has taken
}

// decline gives up what was offered; what becomes of each row is up to next.
func (w *waiter) decline(next func(*row) bool) {
	rows := w.offered
	w.offered = map[*row]bool{}
	for r := range rows {
		r.offered = nil
	}
	for r := range rows {
		next(r)
	}
}

// offer wakes the first waiter that may have the row and has room for it; false: there is none.
func (e *Engine) offer(r *row) bool {
	l := e.line(r.job.Queue)
	if l.paused {
		return false
	}
	for _, w := range e.waiters {
		if len(w.offered) < w.req.Max && wants(w.req, l.name, r.label()) {
			w.offered[r], r.offered = true, w
			select {
			case w.woken <- struct{}{}:
			default:
			}
			return true
		}
	}
	return false
}

// rouse offers what is due in a queue: after a resume, and when a lone job gives room to the next.
func (e *Engine) rouse(l *line) {
	for _, s := range l.shelves {
		for _, r := range s.rows {
			if r.offered == nil && !e.offer(r) {
				break
			}
		}
	}
}
