package ledgertest

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/twicehq/twice/queue"
)

// Leases makes a store that shares its engine's database [Leasing], where a driver's test embeds it.
type Leases struct {
	Engine queue.Engine

	mu   sync.Mutex
	held map[queue.ID]queue.Lease
}

// Lease gives the job's lease back and claims it again. Each job has a queue of its own, so that the claim gets no
// other.
func (l *Leases) Lease(ctx context.Context, job queue.Job) (queue.Lease, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	job.Queue = job.Key
	if held, ok := l.held[job.ID]; ok {
		answers, err := l.Engine.Settle(ctx, queue.Settlement{Lease: held, State: queue.Queued, Outcome: queue.OutcomeInterrupted})
		if err == nil {
			err = answers[0]
		}
		if err != nil {
			return queue.Lease{}, err
		}
	} else if _, err := l.Engine.Enqueue(ctx, job); err != nil {
		return queue.Lease{}, err
	}
	leases, err := l.Engine.Claim(ctx, queue.Claim{ID: queue.NewClaimID(), Worker: "w", Queues: []string{job.Queue}, Kinds: []string{job.Kind}, Max: 1, TTL: time.Minute})
	if err != nil || len(leases) != 1 {
		return queue.Lease{}, fmt.Errorf("claimed %d: %w", len(leases), err)
	}
	if l.held == nil {
		l.held = map[queue.ID]queue.Lease{}
	}
	l.held[job.ID] = leases[0]
	return leases[0], nil
}
