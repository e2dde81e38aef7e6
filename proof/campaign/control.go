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
	errs, err := u.Settle(ctx, ends...)
	if err != nil {
		return nil, nil, err
	}
	leases, err := u.Claim(ctx, req)
	return errs, leases, err
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

// forget drops the word that a lease is lost.
func forget(errs []error) []error {
	for i, err := range errs {
		if errors.Is(err, queue.ErrLeaseLost) {
			errs[i] = nil
		}
	}
	return errs
}
