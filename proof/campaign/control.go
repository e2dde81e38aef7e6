package campaign

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/queue"
)

// Control takes one protection away from the worker processes: the campaign must find what that breaks.
type Control string

const (
	// LedgerOff makes effects without a record: a row is only a row, and each attempt has a key of its own.
	LedgerOff Control = "ledger off"
	// FenceOff hides from a worker, and from its transactions, that a lease is lost. An attempt that was
	// replaced commits its row as if it still held the job.
	FenceOff Control = "fence off"
	// CrashesOff hides from a worker, and from the claims it makes, that a job has crashed: none is ever buried for it.
	CrashesOff Control = "crashes not counted"
)

func attemptKey(job twice.Job[Args], step string) string {
	return fmt.Sprintf("%s/%s/%d", job.ID(), step, job.Attempt())
}

// unfenced never refuses a lease that is lost.
type unfenced struct{ queue.Engine }

func (u unfenced) Unwrap() queue.Engine { return u.Engine }

func (u unfenced) Extend(ctx context.Context, ttl time.Duration, leases ...queue.Lease) ([]error, error) {
	errs, err := u.Engine.Extend(ctx, ttl, leases...)
	return forget(errs), err
}

func (u unfenced) Settle(ctx context.Context, ends ...queue.Settlement) ([]error, error) {
	errs, err := u.Engine.Settle(ctx, ends...)
	return forget(errs), err
}

// Exchange keeps workers from passing it by.
func (u unfenced) Exchange(ctx context.Context, ends []queue.Settlement, req queue.Claim) ([]error, []queue.Lease, error) {
	return exchange(ctx, u, ends, req)
}

// unfencedTx is the same within a transaction.
type unfencedTx struct{ queue.Tx }

func (u unfencedTx) Hold(ctx context.Context, lease queue.Lease) error {
	return forget([]error{u.Tx.Hold(ctx, lease)})[0]
}

func (u unfencedTx) Settle(ctx context.Context, ends ...queue.Settlement) ([]error, error) {
	errs, err := u.Tx.Settle(ctx, ends...)
	return forget(errs), err
}

// uncounted leases jobs as if none had crashed.
type uncounted struct{ queue.Engine }

func (u uncounted) Unwrap() queue.Engine { return u.Engine }

func (u uncounted) Claim(ctx context.Context, req queue.Claim) ([]queue.Lease, error) {
	req.CrashCaps = nil
	leases, err := u.Engine.Claim(ctx, req)
	for i := range leases {
		leases[i].Counts.Crashes, leases[i].Lone = 0, false
	}
	return leases, err
}

// Exchange keeps workers from passing it by.
func (u uncounted) Exchange(ctx context.Context, ends []queue.Settlement, req queue.Claim) ([]error, []queue.Lease, error) {
	return exchange(ctx, u, ends, req)
}

// exchange is a settlement and a claim, one after the other.
func exchange(ctx context.Context, e queue.Engine, ends []queue.Settlement, req queue.Claim) ([]error, []queue.Lease, error) {
	errs, err := e.Settle(ctx, ends...)
	if err != nil {
		return nil, nil, err
	}
	leases, err := e.Claim(ctx, req)
	return errs, leases, err
}

// forget drops the word that a lease is lost.
func forget(errs []error) []error {
	for i, err := range errs {
		if errors.Is(err, queue.ErrLeaseLost) {
			errs[i] = nil
		}
	}
	return errs
}
