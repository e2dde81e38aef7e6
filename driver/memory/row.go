package memory

import (
	"bytes"
	"maps"
	"time"

	"github.com/twicehq/twice/queue"
)

// row is a job as it is stored.
type row struct {
	job   queue.Job
	seq   int64 // in order of enqueue
	state queue.State
	token int64
	at    time.Time // queued: due; running: its lease runs out; done, cancelled: may be pruned
	runAt time.Time // the last run that was asked for
	fresh time.Time

	claim     queue.ClaimID // who holds it, while it runs
	nth       int           // of what that claim holds
	lease     queue.LeaseID
	worker    string
	ttl       time.Duration
	claimedAt time.Time
	spared    bool    // it was given one more ttl after a silence, and its holder was not heard since
	last      settled // the last settlement, until the next claim

	counts     queue.Counts
	lone       bool
	enqueuedAt time.Time
	endedAt    time.Time
	reason     queue.Reason
	err        string
	result     []byte
	checkpoint []byte
	effects    []queue.Effect
	attempts   []queue.Attempt
	dropped    int
	stripped   bool // done, and only what UniqueFor needs is left
	pruned     bool

	on      *shelf
	pos     int
	offered *waiter // who was woken for it
}

// settled remembers a settlement, to know it when it is repeated.
type settled struct {
	lease   queue.LeaseID
	state   queue.State
	outcome queue.Outcome
}

// held reports whether the row carries this lease. One that ran out is held until it is replaced.
func (r *row) held(l queue.Lease) bool {
	return r != nil && r.state == queue.Running && r.lease == l.ID && r.token == l.Token
}

// asLease gives the lease that the row carries.
func (r *row) asLease() queue.Lease {
	return queue.Lease{
		Job: copied(r.job), ID: r.lease, Token: r.token, Worker: r.worker, DueAt: r.runAt, ClaimedAt: r.claimedAt, Until: r.at,
		FreshAt: r.fresh, Counts: r.counts, Lone: r.lone, Checkpoint: bytes.Clone(r.checkpoint),
	}
}

// attempted records how the present attempt ended. The last MaxAttempts are kept, the others counted.
func (r *row) attempted(end time.Time, how queue.Outcome, text string, alone bool) {
	r.attempts = append(r.attempts, queue.Attempt{N: r.token, Worker: r.worker, Start: r.claimedAt, End: end, Outcome: how, Error: text, Alone: alone})
	if over := len(r.attempts) - queue.MaxAttempts; over > 0 {
		r.attempts = append(r.attempts[:0], r.attempts[over:]...)
		r.dropped += over
	}
}

// refresh: fresh_at only rises.
func (r *row) refresh(t time.Time) {
	if t.After(r.fresh) {
		r.fresh = t
	}
}

// strip leaves what UniqueFor needs.
func (r *row) strip() {
	r.job = queue.Job{ID: r.job.ID, Queue: r.job.Queue, Kind: r.job.Kind, Fingerprint: r.job.Fingerprint, Origin: r.job.Origin}
	r.counts, r.worker, r.err, r.result, r.checkpoint, r.attempts, r.dropped = queue.Counts{}, "", "", nil, nil, nil, 0
	r.stripped = true
}

// copied shares no memory with j: what a caller does with its bytes changes nothing here.
func copied(j queue.Job) queue.Job {
	j.Payload = bytes.Clone(j.Payload)
	j.Headers = maps.Clone(j.Headers)
	return j
}
