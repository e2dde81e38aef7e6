package queue

import (
	"context"
	"time"
)

// Pruner forgets what has ended.
type Pruner interface {
	// Prune deletes jobs that have been done or cancelled for UniqueFor, or their KeepFor if that is
	// longer, at most limit of them, counting them as pruned. The mark stays.
	Prune(ctx context.Context, limit int) (int, error)
	// MoveMark raises the mark of every queue to t: from then on an origin at or before it is refused.
	// It never goes back, and never beyond the clock less the engine's KeepFor: asked for more, it goes
	// that far. The ledger has a mark of its own: ledger.Reap moves both.
	MoveMark(ctx context.Context, t time.Time) error
	// Mark is the time of a queue's mark; zero: it was never moved.
	Mark(ctx context.Context, queue string) (time.Time, error)
	// Reap deletes the rows of jobs done or cancelled that were last fresh at or before the mark and that Prune
	// would delete by now, at most limit of them.
	Reap(ctx context.Context, limit int) (int, error)
}
