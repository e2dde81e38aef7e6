package queue

import (
	"context"
	"time"
)

// Auditor proves that nothing was lost, and tells who changed what.
type Auditor interface {
	// Audit counts every queue by scan. It takes time in proportion to what is stored.
	Audit(ctx context.Context) ([]Books, error)
	// Trail gives changes by people, newest first.
	Trail(ctx context.Context, cursor string, limit int) ([]Change, string, error)
}

// Books compares, for one queue, what was accepted with what is there.
type Books struct {
	Queue    string
	Accepted int64 // as counted at each enqueue
	Found    Tally // as counted by scan
	Pruned   int64
}

// Tally counts jobs by state.
type Tally struct{ Queued, Running, Done, Dead, Cancelled int64 }

// Missing is accepted less all that is accounted for: 0 unless something was lost or doubled.
func (b Books) Missing() int64 {
	t := b.Found
	return b.Accepted - t.Queued - t.Running - t.Done - t.Dead - t.Cancelled - b.Pruned
}

// Change is one change by a person.
type Change struct {
	At    time.Time
	By    Actor
	What  string // cancel, redrive, discard, resolve, pause, resume, …
	Queue string
	Job   ID // zero: it concerns the queue
	Note  string
}
