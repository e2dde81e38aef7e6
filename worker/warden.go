package worker

import (
	"errors"
	"fmt"
	"time"

	"github.com/twicehq/twice/queue"
)

// warden looks out for handlers that are deaf to their context, and for a claim loop that does not move.
func (r *runner) warden() {
	ticker := time.NewTicker(min(max(r.cfg.Margin/4, 10*time.Millisecond), time.Second))
	defer ticker.Stop()
	var late []*attempt
	for {
		select {
		case <-ticker.C:
		case <-r.calls.Done():
			return
		}
		late = late[:0]
		now := time.Now()
		r.mu.Lock()
		for a := range r.held {
			if r.isDeaf(a, now) {
				late = append(late, a)
			}
		}
		r.mu.Unlock()
		for _, a := range late {
			r.writeOff(a, Ending{Outcome: queue.OutcomeTimedOut, Error: fmt.Sprintf("%s; its handler is deaf to its context and was left behind", a.limit())})
		}
		r.checkLoop(now)
	}
}

func (a *attempt) limit() *TimeoutError {
	if d := a.lease().Job.Timeout; d > 0 {
		return &TimeoutError{d}
	}
	return a.handler.timeout
}

// isDeaf reports whether the handler should have returned a margin ago.
func (r *runner) isDeaf(a *attempt, now time.Time) bool {
	if a.phase.Load() != running {
		return false
	}
	since := a.until
	if lost := a.lost.Load(); lost != nil && lost.at.Before(since) {
		since = lost.at
	}
	return now.Sub(since) > r.cfg.Margin
}

// writeOff gives a handler up, with its slot: what it does from now on is fenced. Its attempt is settled
// with this ending, unless its lease is lost.
func (r *runner) writeOff(a *attempt, end Ending) {
	if !a.phase.CompareAndSwap(running, writtenOff) {
		return
	}
	r.mu.Lock()
	r.deaf++
	deaf := r.deaf
	r.mu.Unlock()
	e := Event{What: Deaf, Lease: a.lease(), Outcome: end.Outcome, Run: time.Since(a.since), N: deaf}
	if lost := a.lost.Load(); lost != nil {
		e.Outcome, e.Err = 0, lost.err
		r.tell(r.base, e)
		r.drop(a)
	} else {
		a.decide(end)
		e.Settlement = &a.end
		r.tell(r.base, e)
		go r.end(a) // sealing may take time
	}
	if deaf*2 >= r.slots && !r.isDraining() {
		r.fail(&queue.Error{Op: "run worker", Subject: r.cfg.Name, Reason: ErrDeaf,
			Detail: fmt.Sprintf("%d of %d slots", deaf, r.slots), Remedy: "let handlers obey their context; start the process again"})
	}
}

// heard takes back the slot of a deaf handler that returned after all. Its answer comes too late.
func (r *runner) heard(a *attempt, took time.Duration) {
	r.mu.Lock()
	r.deaf--
	if a.slot {
		r.free++
	}
	r.mu.Unlock()
	r.turn.Signal()
	r.tell(r.base, Event{What: Heard, Lease: a.lease(), Run: took})
}

// stallAfter is how long the claim loop may stand still while it has something to do, beyond the time a
// call may take.
const stallAfter = pollWait + callTimeout + 5*time.Second

var errStalled = errors.New("the claim loop does not move")

// checkLoop is the watchdog on the claim loop.
func (r *runner) checkLoop(now time.Time) {
	r.mu.Lock()
	idle := now.Sub(r.lastTurn())
	was := r.stalled
	r.stalled = idle > stallAfter && !r.aside && !r.draining && (r.polling || len(r.ends) > 0 || r.free > 0)
	is := r.stalled
	r.mu.Unlock()
	switch {
	case is && !was:
		r.tell(r.base, Event{What: Stalled, Run: idle, Err: errStalled})
	case was && !is:
		r.tell(r.base, Event{What: Moving})
	}
}

// moved notes that the claim loop moves.
func (r *runner) moved() { r.turned.Store(time.Now().UnixNano()) }

func (r *runner) lastTurn() time.Time { return time.Unix(0, r.turned.Load()) }
