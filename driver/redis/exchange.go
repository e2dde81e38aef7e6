package redis

import (
	"context"

	"github.com/twicehq/twice/queue"
)

// Exchange implements [queue.Exchanger].
func (e *Engine) Exchange(ctx context.Context, ends []queue.Settlement, req queue.Claim) ([]error, []queue.Lease, error) {
	errs, err := e.Settle(ctx, ends...)
	if err != nil {
		return nil, nil, err
	}
	leases, err := e.Claim(ctx, req)
	return errs, leases, err
}
