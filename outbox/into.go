package outbox

import (
	"context"
	"time"

	"github.com/twicehq/twice/queue"
)

// Into gives an enqueuer that puts jobs into the box that tx is a transaction of; maxPayload is the limit of the
// engine that they go to, in bytes (its Traits say it), 0: queue.DefaultMaxPayload. It serves whom tx serves.
//
// A receipt says what the box knows: accepted is stored with the data; a duplicate or a conflict is one of a job that
// went through this box within its UniqueFor, whose Holder fields tell of the envelope. What the engine beyond knows
// of a job shows when it is forwarded.
func Into(tx queue.Enqueuer, maxPayload int) queue.Enqueuer {
	if maxPayload <= 0 {
		maxPayload = queue.DefaultMaxPayload
	}
	return into{tx, maxPayload}
}

type into struct {
	tx         queue.Enqueuer
	maxPayload int
}

// Enqueue implements [queue.Enqueuer].
func (b into) Enqueue(ctx context.Context, jobs ...queue.Job) ([]queue.Receipt, error) {
	receipts := make([]queue.Receipt, len(jobs))
	ids := make([]queue.ID, len(jobs))
	var stored []queue.Job
	var at []int
	now := time.Now()
	for i, j := range jobs {
		j, err := j.Prepared(b.maxPayload, now)
		ids[i] = j.ID
		if err == nil {
			j, err = wrapped(j)
		}
		if err != nil {
			receipts[i] = queue.Receipt{ID: ids[i], Status: queue.Refused, Err: err}
			continue
		}
		stored, at = append(stored, j), append(at, i)
	}
	if len(stored) == 0 {
		return receipts, nil
	}
	got, err := b.tx.Enqueue(ctx, stored...)
	if err != nil {
		return nil, err
	}
	for n, i := range at {
		receipts[i] = got[n]
		receipts[i].ID = ids[i]
		if !got[n].Holder.IsZero() {
			receipts[i].Holder = ids[i]
		}
	}
	return receipts, nil
}
