package worker

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/twicehq/twice/queue"
)

// Pruning: about once a minute, in bounded batches, and a bounded number of them.
const (
	pruneEvery   = time.Minute
	pruneBatch   = 1000
	pruneBatches = 20
)

// prune lets the engine forget jobs that ended long enough ago.
func (r *runner) prune() {
	pruner, ok := queue.As[queue.Pruner](r.engine)
	if !ok {
		return
	}
	for pause(r.claims, pruneEvery/2+rand.N(pruneEvery)) {
		pruned := 0
		for range pruneBatches {
			call, cancel := context.WithTimeout(r.claims, callTimeout)
			n, err := pruner.Prune(call, pruneBatch)
			cancel()
			pruned += n
			if err != nil && r.claims.Err() == nil {
				r.tell(r.base, Event{What: EngineError, Call: "prune", Err: err, N: 1})
			}
			if err != nil || n < pruneBatch {
				break
			}
		}
		if pruned > 0 {
			r.tell(r.base, Event{What: Pruned, N: pruned})
		}
	}
}
