package worker

import (
	"math/rand/v2"
	"time"
)

// lonePause is about how often a worker asks for suspects: they are rare, have waited for their lease to
// run out, and must cost the others nothing.
const lonePause = time.Second

// loneLoop runs suspects: jobs one crash short of their cap. They take no slot; where they have processes
// of their own, one of each queue may run at a time, else one at all. Kinds without lone runs are asked
// for, too: a job that was marked under another policy must not wait for ever.
func (r *runner) loneLoop() {
	for {
		t := time.NewTimer(lonePause/2 + rand.N(lonePause))
		select {
		case <-t.C:
		case <-r.loneNow:
		case <-r.claims.Done():
		}
		t.Stop()
		if r.claims.Err() != nil {
			return
		}
		for r.claimSuspects() {
		}
	}
}

// claimSuspects reports whether there were any and it is worth asking again at once.
func (r *runner) claimSuspects() bool {
	r.mu.Lock()
	var queues []string
	for _, q := range r.queues {
		if !r.loneBusy[q] {
			queues = append(queues, q)
		}
	}
	if r.draining || len(queues) == 0 {
		r.mu.Unlock()
		return false
	}
	r.suspects++
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		r.suspects--
		r.mu.Unlock()
		r.quiet.Broadcast()
	}()
	n := min(len(queues), r.maxBatch)
	if r.cfg.Lone == nil {
		n = 1
	}
	req := r.request(n, 0)
	req.Queues, req.Lone = queues, true
	leases := r.claim(r.claims, req)
	now := time.Now()
	for _, l := range leases {
		if a := r.newAttempt(l, now); a != nil {
			r.suspect(a)
		}
	}
	return len(leases) > 0 && r.cfg.Lone == nil && !r.isDraining()
}

// suspect buries the job, or runs it with nothing beside it.
func (r *runner) suspect(a *attempt) {
	_, run := Begin(*a.lease(), a.handler.rules, a.now())
	name := a.lease().Job.Queue
	switch {
	case r.isDraining():
		r.hold(a)
		r.giveBack(a)
	case !run:
		r.hold(a)
		r.attend(a)
	case r.cfg.Lone == nil:
		r.hold(a)
		r.inside(a)
	default:
		r.mu.Lock()
		r.loneBusy[name] = true
		r.suspects++
		r.mu.Unlock()
		r.serve(func() {
			r.child(a)
			r.mu.Lock()
			delete(r.loneBusy, name)
			r.suspects--
			r.mu.Unlock()
			r.quiet.Broadcast()
			select {
			case r.loneNow <- struct{}{}:
			default:
			}
		})
	}
}

// hold keeps the lease alive from now on.
func (r *runner) hold(a *attempt) {
	r.mu.Lock()
	r.held[a] = struct{}{}
	r.mu.Unlock()
	r.refresh()
}
