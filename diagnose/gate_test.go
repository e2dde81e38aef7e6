package diagnose_test

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/queue"
)

// gate is an engine that can be shut: nothing reaches it any more. A worker has one of its own before that of all.
type gate struct {
	*memory.Engine
	via      *gate // asked first; nil: none
	shut     atomic.Bool
	uncounts atomic.Bool   // it serves, but does not count
	empty    atomic.Bool   // claims find nothing
	hang     chan struct{} // claims hang until it is closed, once empty
}

var errShut = &queue.Error{Op: "call", Reason: queue.ErrUnavailable, Detail: "connection refused"}

func (g *gate) closed() bool { return g.shut.Load() || g.via != nil && g.via.closed() }

func through[T any](g *gate, call func() (T, error)) (none T, err error) {
	if g.closed() {
		return none, errShut
	}
	return call()
}

func only(g *gate, call func() error) error {
	if g.closed() {
		return errShut
	}
	return call()
}

func (g *gate) Enqueue(ctx context.Context, jobs ...queue.Job) ([]queue.Receipt, error) {
	return through(g, func() ([]queue.Receipt, error) { return g.Engine.Enqueue(ctx, jobs...) })
}

func (g *gate) Claim(ctx context.Context, req queue.Claim) ([]queue.Lease, error) {
	return through(g, func() ([]queue.Lease, error) {
		if g.empty.Load() {
			if g.hang != nil {
				<-g.hang
			}
			t := time.NewTimer(req.Wait)
			defer t.Stop()
			select {
			case <-t.C:
			case <-ctx.Done():
			}
			return nil, ctx.Err()
		}
		leases, err := g.Engine.Claim(ctx, req)
		if g.closed() {
			return nil, errShut // whoever waited is dead by now; what it was given is lost with it
		}
		return leases, err
	})
}

func (g *gate) Exchange(ctx context.Context, ends []queue.Settlement, req queue.Claim) ([]error, []queue.Lease, error) {
	if g.closed() {
		return nil, nil, errShut
	}
	if g.empty.Load() {
		errs, err := g.Engine.Settle(ctx, ends...)
		return errs, nil, err
	}
	return g.Engine.Exchange(ctx, ends, req)
}

func (g *gate) Settle(ctx context.Context, ends ...queue.Settlement) ([]error, error) {
	return through(g, func() ([]error, error) { return g.Engine.Settle(ctx, ends...) })
}

func (g *gate) Extend(ctx context.Context, ttl time.Duration, leases ...queue.Lease) ([]error, error) {
	return through(g, func() ([]error, error) { return g.Engine.Extend(ctx, ttl, leases...) })
}

func (g *gate) Ping(ctx context.Context) error {
	return only(g, func() error { return g.Engine.Ping(ctx) })
}

func (g *gate) Announce(ctx context.Context, w queue.Worker, ttl time.Duration) error {
	return only(g, func() error { return g.Engine.Announce(ctx, w, ttl) })
}

func (g *gate) Withdraw(ctx context.Context, name string) error {
	return only(g, func() error { return g.Engine.Withdraw(ctx, name) })
}

func (g *gate) Workers(ctx context.Context) ([]queue.Worker, error) {
	return through(g, func() ([]queue.Worker, error) { return g.Engine.Workers(ctx) })
}

func (g *gate) Prune(ctx context.Context, limit int) (int, error) {
	return through(g, func() (int, error) { return g.Engine.Prune(ctx, limit) })
}

func (g *gate) Depths(ctx context.Context, queues ...string) ([]queue.Depth, error) {
	if g.uncounts.Load() {
		return nil, &queue.Error{Op: "depths", Reason: queue.ErrCorrupt, Detail: "a count cannot be read"}
	}
	return through(g, func() ([]queue.Depth, error) { return g.Engine.Depths(ctx, queues...) })
}

// counted is an engine that counts its jobs and does not keep its workers.
type counted struct {
	queue.Engine
	queue.Inspector
}
