package worker

import (
	"context"
	"errors"
	"time"

	"github.com/twicehq/twice/queue"
)

// beat extends all leases every third of their time, until the run is over; also while it drains. While
// the engine cannot be reached handlers run on: the lease decides who is right.
func (r *runner) beat() {
	ticker := time.NewTicker(r.cfg.Lease / 3)
	defer ticker.Stop()
	var attempts []*attempt
	var leases []queue.Lease
	for failures := 0; ; {
		select {
		case <-ticker.C:
		case <-r.beatNow:
		case <-r.calls.Done():
			return
		}
		attempts = attempts[:0]
		r.mu.Lock()
		for a := range r.held {
			if a.lost.Load() == nil {
				attempts = append(attempts, a)
			}
		}
		r.mu.Unlock()
		for len(attempts) > 0 {
			n := min(len(attempts), r.maxBatch)
			leases = leases[:0]
			for _, a := range attempts[:n] {
				leases = append(leases, *a.lease())
			}
			if r.extend(attempts[:n], leases, failures+1) {
				failures = 0
			} else {
				failures++
				leases = nil // the engine may still read it
			}
			attempts = attempts[n:]
		}
	}
}

func (r *runner) extend(attempts []*attempt, leases []queue.Lease, n int) bool {
	call, cancel := context.WithTimeout(r.calls, max(r.cfg.Lease/3, 10*time.Millisecond))
	defer cancel()
	errs, err := r.engine.Extend(call, r.cfg.Lease, leases...)
	if err != nil {
		if r.calls.Err() == nil {
			r.tell(r.base, Event{What: EngineError, Call: "extend", Err: err, N: n})
		}
		return false
	}
	for i, a := range attempts {
		if errors.Is(errs[i], queue.ErrLeaseLost) {
			r.lose(a, errs[i])
		}
	}
	return true
}

// lose ends the context of a handler whose lease is lost, with that cause. One that is in nobody's
// handler any more is told by its settlement.
func (r *runner) lose(a *attempt, err error) {
	if phase := a.phase.Load(); phase != running && phase != waiting {
		return
	}
	if !a.lost.CompareAndSwap(nil, &lostLease{time.Now(), err}) {
		return
	}
	if a.phase.Load() == running {
		a.cancel(err)
	}
	outcome := queue.Outcome(0)
	if errors.Is(err, queue.ErrCancelled) {
		outcome = queue.OutcomeCancelled
	}
	r.tell(r.base, Event{What: LeaseLost, Lease: a.lease(), Outcome: outcome, Err: err})
}

// unwanted says why an attempt must not begin, or must end at once; nil: it may run.
func (r *runner) unwanted(a *attempt) error {
	if lost := a.lost.Load(); lost != nil {
		return lost.err
	}
	if r.shut.Load() {
		return ErrShutdown
	}
	return nil
}
