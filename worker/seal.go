package worker

import (
	"context"
	"time"

	"github.com/twicehq/twice/queue"
)

// seal bars later effects of a job that is about to be dead, in a ledger that is a store of its own, and
// puts those made on the settlement. It tries a few times, while the lease is kept alive.
func (r *runner) seal(a *attempt, s *queue.Settlement) error {
	var err error
	for try := 1; try <= sealTries; try++ {
		call, cancel := context.WithTimeout(r.calls, sealTimeout)
		var made []queue.Effect
		made, err = r.cfg.Ledger.Seal(call, a.lease().Job.ID, a.lease().Token)
		cancel()
		if err == nil {
			s.Effects = made
			return nil
		}
		r.tell(r.base, Event{What: LedgerError, Lease: a.lease(), Err: err, N: try})
		if a.lost.Load() != nil || try == sealTries || !pause(r.calls, r.retryAfter(2*try)) {
			break
		}
	}
	return err
}

const (
	sealTries   = 4
	sealTimeout = 5 * time.Second
)
