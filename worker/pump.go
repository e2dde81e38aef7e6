package worker

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/twicehq/twice/queue"
)

// pump makes trips to the engine: whatever waits to be settled when it is free goes in one batch, never
// later for the sake of a larger one. Where the engine can exchange, the slots that are free by then are
// filled in the same trip; else, and when nothing is to be settled, a poll of its own fills them.
func (r *runner) pump() {
	var ends []queue.Settlement
	var batch []*attempt
	for {
		var slots int
		var on bool
		batch, slots, on = r.next(batch[:0])
		r.moved()
		switch {
		case !on:
			return
		case len(batch) == 0:
			r.serve(func() { r.poll(slots) })
		default:
			ends = r.trip(batch, ends[:0], slots)
			clear(ends)
			clear(batch)
		}
	}
}

// next waits for something to do: a batch to settle, slots to fill, or both. Slots are reserved for the
// claim that is to fill them. False: the run is over.
func (r *runner) next(batch []*attempt) ([]*attempt, int, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		switch {
		case r.over:
			return nil, 0, false
		case len(r.ends) > 0:
			most, slots := r.maxBatch, 0
			if r.exchange != nil && r.mayClaim() {
				most = r.share()
				slots = r.reserve(most)
			}
			n := min(len(r.ends), most)
			batch = append(batch, r.ends[:n]...)
			rest := copy(r.ends, r.ends[n:])
			clear(r.ends[rest:])
			r.ends = r.ends[:rest]
			return batch, slots, true
		case r.free > 0 && r.mayClaim():
			r.polling = true
			return nil, r.reserve(r.maxBatch), true
		}
		r.turn.Wait()
	}
}

// mayClaim: while a poll waits, whatever becomes due goes to it.
func (r *runner) mayClaim() bool { return !r.draining && !r.polling && !r.aside && !r.over }

// share is how many jobs one exchange settles at most, and how many it claims. With a third of the slots' jobs on each of
// two trips the handlers have a third left: a larger trip leaves them, and then the engine, with nothing to do. Small
// ones are not split, since a trip's fixed cost is then most of it.
func (r *runner) share() int { return min(r.maxBatch, max(100, r.slots/(pumps+1))) }

// reserve takes the free slots for one claim, up to so many.
func (r *runner) reserve(most int) int {
	n := min(r.free, most)
	r.free -= n
	return n
}

// trip settles a batch, and fills slots where there are any, until the outcome is known: a repeated trip
// is the same trip. It gives ends back for reuse.
func (r *runner) trip(batch []*attempt, ends []queue.Settlement, slots int) []queue.Settlement {
	for _, a := range batch {
		ends = append(ends, a.end)
	}
	req := r.request(slots, 0)
	for try := 1; ; try++ {
		call, cancel := context.WithTimeout(r.calls, callTimeout)
		var errs []error
		var leases []queue.Lease
		var err error
		name := "settle"
		if slots > 0 {
			name = "exchange"
			errs, leases, err = r.exchange.Exchange(call, ends, req)
		} else {
			errs, err = r.engine.Settle(call, ends...)
		}
		cancel()
		if err == nil {
			r.settled(batch, errs)
			if slots > 0 {
				r.answered(false, try > 1)
				r.handOut(leases, slots, false)
			}
			return ends
		}
		r.moved()
		r.callFailed(name, err, try)
		// An engine that gave up may still read what it was given: that memory is not used again.
		ends = append([]queue.Settlement(nil), ends...)
		if slots > 0 && !unknown(err) && r.isDraining() {
			r.handOut(nil, slots, false)
			slots = 0
		}
		if !pause(r.calls, r.retryAfter(try)) {
			r.abandon(batch, err)
			r.handOut(nil, slots, false)
			return nil
		}
	}
}

// callTimeout is when a call is given up as hanging, beyond the time that it may wait. Its outcome is then
// unknown, and it is repeated.
const callTimeout = 15 * time.Second

// retryAfter is the pause before the n-th repetition of a call: 50 ms, doubled up to 3 s, drawn from the
// upper half, so that work goes on within 5 s of the engine's return; and up to a third of a lease, so that leases that
// a claim was given and never told of are fetched before they run out.
func (w *Worker) retryAfter(n int) time.Duration {
	d := 50 * time.Millisecond << min(n-1, 6)
	d = max(2, min(d, 3*time.Second, w.cfg.Lease/3))
	return d/2 + rand.N(d/2)
}

// unknown reports whether a call that failed may have been carried out.
func unknown(err error) bool {
	return errors.Is(err, queue.ErrUnknownOutcome) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

func (r *runner) callFailed(call string, err error, n int) {
	if r.calls.Err() != nil {
		return
	}
	r.tell(r.base, Event{What: EngineError, Call: call, Err: err, N: n})
	if errors.Is(err, queue.ErrClosed) {
		r.fail(&queue.Error{Op: "run worker", Subject: r.cfg.Name, Reason: queue.ErrClosed, Cause: err, Remedy: "end the worker before its engine is closed"})
	}
}
