package memory

import (
	"context"

	"github.com/twicehq/twice/queue"
)

// Exchange implements [queue.Exchanger]: what it settles can be claimed by it. It fails as a whole, with
// nothing changed, where the claim is not valid.
func (e *Engine) Exchange(ctx context.Context, ends []queue.Settlement, req queue.Claim) ([]error, []queue.Lease, error) {
	if err := e.checkClaim(req); err != nil {
		return nil, nil, err
	}
	if err := e.fits("exchange", len(ends)); err != nil {
		return nil, nil, err
	}
	now, leave, err := e.enter(ctx, "exchange")
	if err != nil {
		return nil, nil, err
	}
	errs := e.settleAll(ends, now)
	leases := e.lease(req, now)
	leave()
	if len(leases) > 0 || req.Wait == 0 {
		return errs, leases, nil
	}
	// The settlements stand, whatever becomes of the wait.
	leases, _ = e.Claim(ctx, req)
	return errs, leases, nil
}
