package worker

import (
	"context"
	"time"

	"github.com/twicehq/twice/queue"
)

// pollWait is how long a claim waits for the first job: an engine that wakes it needs no shorter one.
const pollWait = 10 * time.Second

// poll fills slots by a claim that waits. Only one is under way at a time.
func (r *runner) poll(slots int) {
	ctx, cancel := context.WithCancel(r.claims)
	defer cancel()
	r.mu.Lock()
	r.hangPoll = cancel
	if r.aside {
		cancel()
	}
	r.mu.Unlock()
	leases := r.claim(ctx, r.request(slots, pollWait))
	r.handOut(leases, slots, true)
}

func (r *runner) request(n int, wait time.Duration) queue.Claim {
	if n == 0 {
		return queue.Claim{}
	}
	return queue.Claim{ID: queue.NewClaimID(), Worker: r.cfg.Name, Queues: r.queues, Kinds: r.kinds, Max: n,
		TTL: r.cfg.Lease, Wait: wait, CrashCaps: r.caps}
}

// claim makes one claim, and repeats it as the same until its outcome is known or ctx ends. A claim that
// ctx cut off may have been carried out: where the engine gives the same leases again they are fetched,
// else they would run out and count as crashes.
func (r *runner) claim(ctx context.Context, req queue.Claim) []queue.Lease {
	for try := 1; ; try++ {
		if ctx.Err() != nil && try == 1 {
			return nil
		}
		call, cancel := context.WithTimeout(ctx, req.Wait+callTimeout)
		leases, err := r.engine.Claim(call, req)
		cancel()
		if err == nil {
			r.answered(req.Lone, try > 1)
			return leases
		}
		if ctx.Err() == nil {
			if !req.Lone {
				r.moved()
			}
			r.callFailed("claim", err, try)
			if pause(ctx, r.retryAfter(try)) {
				continue
			}
		}
		if !unknown(err) || !r.engine.Traits().RepeatsClaims {
			return nil
		}
		req.Wait = 0
		call, cancel = context.WithTimeout(r.calls, lastWord)
		defer cancel()
		leases, _ = r.engine.Claim(call, req)
		return leases
	}
}

// lastWord bounds the calls with which a run ends.
const lastWord = 2 * time.Second

// answered notes that a claim was answered. The leases of a repeated one may be old.
func (r *runner) answered(lone, repeated bool) {
	if !lone {
		r.polled.Store(time.Now().UnixNano())
		r.moved()
	}
	if repeated {
		r.old.Store(true)
	}
}

// refresh extends leases at once, where they may be old. It is called when they are held.
func (r *runner) refresh() {
	if r.old.Swap(false) {
		select {
		case r.beatNow <- struct{}{}:
		default:
		}
	}
}

// handOut gives leases to the slots that were reserved for them, and frees the slots that are left over.
// Leases that came after a drain began are given back.
func (r *runner) handOut(leases []queue.Lease, slots int, polled bool) {
	batch := make([]*attempt, 0, len(leases))
	now := time.Now()
	for _, l := range leases {
		if a := r.newAttempt(l, now); a != nil {
			a.slot = true
			batch = append(batch, a)
		}
	}
	r.mu.Lock()
	for _, a := range batch {
		r.held[a] = struct{}{}
	}
	r.free += slots - len(batch)
	if polled {
		r.polling, r.hangPoll = false, nil
	}
	draining := r.draining
	r.mu.Unlock()
	r.refresh()
	if len(batch) > 0 {
		r.tell(r.base, Event{What: Claimed, N: len(batch)})
	}
	for _, a := range batch {
		if draining {
			r.giveBack(a)
		} else {
			r.offer(a)
		}
	}
	r.turn.Signal()
	r.quiet.Broadcast()
}

// newAttempt is nil for a lease of a kind that was not asked for: an engine's fault, and left to run out.
func (r *runner) newAttempt(l queue.Lease, now time.Time) *attempt {
	h := r.handlers[l.Job.Kind]
	if h == nil {
		r.tell(r.base, Event{What: Unsettled, Lease: &l, Err: &queue.Error{Op: "run", Subject: l.Job.Kind, Reason: queue.ErrInvalid, Detail: "the engine leased a kind that was not asked for"}})
		return nil
	}
	a := &attempt{handler: h, got: now}
	a.holding.Lease = l
	return a
}

// giveBack ends an attempt without a run: it counts as interrupted.
func (r *runner) giveBack(a *attempt) {
	if !a.phase.CompareAndSwap(waiting, ended) && !a.phase.CompareAndSwap(running, ended) {
		return
	}
	a.decide(Ending{Outcome: queue.OutcomeInterrupted, Error: "given back before its handler ran"})
	r.tell(r.base, Event{What: Given, Lease: a.lease(), Settlement: &a.end, Outcome: a.end.Outcome})
	r.end(a)
}
