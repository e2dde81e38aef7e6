package worker

import (
	"errors"
	"time"

	"github.com/twicehq/twice/queue"
)

// end hands the attempt's settlement to the pump and frees the slot. A death is first sealed in the ledger; where
// that fails there is no settlement, and the lease runs out.
func (r *runner) end(a *attempt) {
	if s := &a.end; s.State == queue.Dead && r.cfg.Ledger != nil {
		if err := r.seal(a, s); err != nil {
			r.tell(r.base, Event{What: Unsettled, Lease: a.lease(), Settlement: s, Outcome: s.Outcome, Err: err})
			r.drop(a)
			return
		}
	}
	r.mu.Lock()
	r.ends = append(r.ends, a)
	r.leave(a)
	r.mu.Unlock()
	r.turn.Signal()
}

// leave frees the attempt's slot, unless its handler is still in it. r.mu is held.
func (r *runner) leave(a *attempt) {
	if a.slot && a.phase.Load() != writtenOff {
		r.free++
	}
}

// drop forgets an attempt that is not to be settled.
func (r *runner) drop(a *attempt) {
	r.mu.Lock()
	delete(r.held, a)
	r.leave(a)
	r.mu.Unlock()
	r.turn.Signal()
	r.quiet.Broadcast()
}

// maxTries is how often a settlement is tried that the engine refuses for a reason that may pass.
const maxTries = 6

// settled takes the engine's answers to a batch.
func (r *runner) settled(batch []*attempt, errs []error) {
	r.mu.Lock()
	for i, a := range batch {
		if err := errs[i]; err == nil || errors.Is(err, queue.ErrLeaseLost) || a.tries+1 >= maxTries {
			delete(r.held, a)
		}
	}
	r.mu.Unlock()
	r.quiet.Broadcast()
	for i, a := range batch {
		e := Event{What: Settled, Lease: a.lease(), Settlement: &a.end, Outcome: a.end.Outcome, Alone: a.alone}
		switch err := errs[i]; {
		case err == nil:
		case errors.Is(err, queue.ErrLeaseLost):
			if a.lost.Load() != nil {
				continue // told already
			}
			e.What, e.Settlement, e.Err = LeaseLost, nil, err
		default:
			a.tries++
			e.What, e.Call, e.Err, e.N = EngineError, "settle", err, a.tries
			if a.tries >= maxTries {
				e.What = Unsettled
			} else {
				time.AfterFunc(r.retryAfter(a.tries), func() { r.settleAgain(a) })
			}
		}
		r.tell(r.base, e)
	}
}

func (r *runner) settleAgain(a *attempt) {
	r.mu.Lock()
	r.ends = append(r.ends, a)
	r.mu.Unlock()
	r.turn.Signal()
}

// abandon gives a batch up because the run is over.
func (r *runner) abandon(batch []*attempt, err error) {
	for _, a := range batch {
		r.tell(r.base, Event{What: Unsettled, Lease: a.lease(), Settlement: &a.end, Outcome: a.end.Outcome, Err: err})
	}
}
