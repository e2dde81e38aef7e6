package redis

import (
	"context"

	"github.com/twicehq/twice/queue"
)

// Exchange implements [queue.Exchanger]: both scripts go in one round trip, where the claim is of one queue and does
// not wait, nothing has to be asked before, and this process knows the queues as they are.
func (e *Engine) Exchange(ctx context.Context, ends []queue.Settlement, req queue.Claim) ([]error, []queue.Lease, error) {
	if len(ends) == 0 || len(ends) > maxBatch || len(req.Queues) != 1 || req.Wait > 0 || checkClaim(&req) != nil {
		return e.exchangeApart(ctx, ends, req)
	}
	if err := e.usable(ctx, "exchange"); err != nil {
		return nil, nil, err
	}
	l := e.lines.get(req.Queues[0])
	errs := make([]error, len(ends))
	ends, err := e.sealed(ctx, ends)
	if err != nil {
		return nil, nil, err
	}
	batches := e.batches(ctx, ends, errs)
	if l == nil || len(batches) != 1 {
		return e.exchangeApart(ctx, ends, req)
	}
	b := batches[0]
	settling, err := e.settling(ctx, b, ends)
	if err != nil {
		return nil, nil, translated("settle", err)
	}
	l = e.lines.get(req.Queues[0])
	claiming := call{claimScript, l.keys, append(e.head(l), e.claimArgs(req, l, req.Max, 0)...)}
	results := e.run(ctx, settling, claiming)
	bytes, err := results[0].AsBytes()
	if err != nil {
		return nil, nil, translated("settle", err)
	}
	if string(bytes) == stale {
		return e.exchangeApart(ctx, ends, req)
	}
	e.settledAll(b, ends, errs, bytes)
	message, err := results[1].ToMessage()
	if err != nil {
		return errs, nil, translated("claim", err)
	}
	if !message.IsArray() { // stale
		leases, err := e.Claim(ctx, req)
		return errs, leases, err
	}
	parts, _ := message.ToArray()
	leases, _, err := e.leases(req, answered{line: l, parts: parts})
	return errs, leases, translated("claim", err)
}

func (e *Engine) exchangeApart(ctx context.Context, ends []queue.Settlement, req queue.Claim) ([]error, []queue.Lease, error) {
	errs, err := e.Settle(ctx, ends...)
	if err != nil {
		return nil, nil, err
	}
	leases, err := e.Claim(ctx, req)
	return errs, leases, err
}
