package worker_test

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/queue"
)

// faulty is a memory engine whose calls fail on demand, before or after they were carried out.
type faulty struct {
	*memory.Engine
	down       atomic.Bool // nothing reaches the engine
	failExtend atomic.Bool
	lose       atomic.Int32 // the replies of so many claims and settlements are lost

	mu     sync.Mutex
	claims []queue.ClaimID
	asked  []int // by each claim in company
	ended  []int // by each exchange
}

var errDown = &queue.Error{Op: "call", Reason: queue.ErrUnavailable, Detail: "down"}
var errLost = &queue.Error{Op: "call", Reason: queue.ErrUnknownOutcome, Detail: "the reply was lost"}

func (f *faulty) lost() bool {
	for {
		n := f.lose.Load()
		if n <= 0 {
			return false
		}
		if f.lose.CompareAndSwap(n, n-1) {
			return true
		}
	}
}

func (f *faulty) Claim(ctx context.Context, req queue.Claim) ([]queue.Lease, error) {
	if f.down.Load() {
		return nil, errDown
	}
	f.mu.Lock()
	if !req.Lone {
		f.claims = append(f.claims, req.ID)
		f.asked = append(f.asked, req.Max)
	}
	f.mu.Unlock()
	leases, err := f.Engine.Claim(ctx, req)
	if len(leases) > 0 && f.lost() {
		return nil, errLost
	}
	return leases, err
}

func (f *faulty) Settle(ctx context.Context, ends ...queue.Settlement) ([]error, error) {
	if f.down.Load() {
		return nil, errDown
	}
	errs, err := f.Engine.Settle(ctx, ends...)
	if f.lost() {
		return nil, errLost
	}
	return errs, err
}

func (f *faulty) Exchange(ctx context.Context, ends []queue.Settlement, req queue.Claim) ([]error, []queue.Lease, error) {
	if f.down.Load() {
		return nil, nil, errDown
	}
	f.mu.Lock()
	f.ended = append(f.ended, len(ends))
	f.mu.Unlock()
	errs, leases, err := f.Engine.Exchange(ctx, ends, req)
	if f.lost() {
		return nil, nil, errLost
	}
	return errs, leases, err
}

func (f *faulty) Extend(ctx context.Context, ttl time.Duration, leases ...queue.Lease) ([]error, error) {
	if f.down.Load() || f.failExtend.Load() {
		return nil, errDown
	}
	return f.Engine.Extend(ctx, ttl, leases...)
}

// plainEngine hides every ability but the engine's own methods.
type plainEngine struct{ queue.Engine }
