package memory

import (
	"fmt"
	"slices"
	"time"

	"github.com/twicehq/twice/queue"
)

// again gives the leases that this very claim made and that are still held.
func (e *Engine) again(req queue.Claim) []queue.Lease {
	var leases []queue.Lease
	for _, r := range e.claims[req.ID] {
		leases = append(leases, r.asLease())
	}
	return leases
}

// grant needs: due, not paused, of a kind asked for, no lease or one that ran out; lone jobs only for a
// lone claim, and one of a queue at a time.
func (e *Engine) grant(req queue.Claim, now time.Time) []queue.Lease {
	var leases []queue.Lease
	for len(leases) < req.Max {
		r := e.best(req, now)
		if r == nil {
			break
		}
		if e.claim(r, req, now) {
			leases = append(leases, r.asLease())
		}
	}
	return leases
}

// best is the worthiest row that the claim may have.
func (e *Engine) best(req queue.Claim, now time.Time) *row {
	var best *row
	for _, name := range req.Queues {
		l, ok := e.lines[name]
		if !ok || l.paused || (req.Lone && l.loneBusy(now)) {
			continue
		}
		for where, s := range l.shelves {
			if r := s.first(); wants(req, name, where) && (best == nil || worthier(r, best)) {
				best = r
			}
		}
	}
	return best
}

// claim: token+1, a new lease_id, lease_until, fresh_at. If the lease before was lost with no word:
// crashes+1, and when that makes cap−1, the row is marked lone and not leased to a claim in company.
func (e *Engine) claim(r *row, req queue.Claim, now time.Time) bool {
	e.take(r)
	crashed := r.state == queue.Running
	if crashed {
		r.attempted(now, queue.OutcomeCrashed, "its lease ran out with no word from the worker", r.lone)
		r.counts.Crashes++
		e.release(r)
	}
	r.token++
	r.last = settled{}
	r.refresh(now)
	if limit := req.CrashCaps[r.job.Kind]; crashed && !req.Lone && limit >= 2 && r.counts.Crashes == limit-1 {
		r.lone = true
		e.turn(r, queue.Queued)
		e.place(r, now)
		return false
	}
	e.seize(r, req.ID)
	r.worker, r.claimedAt, r.ttl, r.at, r.spared = req.Worker, now, req.TTL, now.Add(req.TTL), false
	e.turn(r, queue.Running)
	e.place(r, now)
	return true
}

// checkClaim fails with ErrInvalid or ErrTooLarge, naming every problem at once.
func (e *Engine) checkClaim(req queue.Claim) error {
	var found queue.Problems
	bad := func(is bool, detail, remedy string) {
		if is {
			found = append(found, &queue.Error{Reason: queue.ErrInvalid, Detail: detail, Remedy: remedy})
		}
	}
	bad(req.ID == queue.ClaimID{}, "it has no id", "use queue.NewClaimID for each request")
	bad(req.Max < 1 || req.Max > e.cfg.MaxBatch, fmt.Sprintf("its max is %d", req.Max), fmt.Sprintf("use 1 to %d", e.cfg.MaxBatch))
	bad(req.TTL < queue.Resolution || req.TTL > MaxTTL, fmt.Sprintf("its ttl is %s", req.TTL), fmt.Sprintf("use %s to %s", queue.Resolution, MaxTTL))
	bad(req.Wait < 0, fmt.Sprintf("its wait is %s", req.Wait), "use 0 for not at all")
	bad(len(req.Queues) == 0, "it names no queue", "name those that the worker serves")
	bad(len(req.Kinds) == 0, "it names no kind", "name those that the worker handles")
	if len(found) > 0 {
		return &queue.Error{Op: "claim", Subject: req.Worker, Reason: queue.ErrInvalid, Cause: found}
	}
	return nil
}

// wants reports whether the claim may have a job like this.
func wants(req queue.Claim, name string, where label) bool {
	return req.Lone == where.lone && slices.Contains(req.Queues, name) && slices.Contains(req.Kinds, where.kind)
}
