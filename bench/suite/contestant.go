package suite

import (
	"context"
	"io"

	"github.com/twicehq/twice/bench/peer"
	"github.com/twicehq/twice/internal/loadtest"
)

// Contestant is a peer, or the honest limit, which is measured in the same rounds.
type Contestant struct {
	peer.Info
	open func(ctx context.Context, dir string, mode peer.Mode) (io.Closer, error)
	run  func(ctx context.Context, sc Scenario, e loadtest.Env, store io.Closer) (values, error)
}

// Peer makes a contestant of a peer.
func Peer(info peer.Info) Contestant {
	return Contestant{
		Info: info,
		open: func(ctx context.Context, dir string, mode peer.Mode) (io.Closer, error) {
			return info.Open(ctx, dir, mode)
		},
		run: func(ctx context.Context, sc Scenario, e loadtest.Env, store io.Closer) (values, error) {
			return sc.Run(ctx, e, store.(peer.Peer))
		},
	}
}

// Program is an open store of a peer that is not written in Go: a program of its own runs the scenarios on it. It may be
// a [loadtest.Bulker] and a [loadtest.Colder] for filling it.
type Program interface {
	io.Closer

	// Measure runs the scenario of that name, as package loadtest does; ErrCannot where it has no such one.
	Measure(ctx context.Context, scenario string, e loadtest.Env) (loadtest.Values, error)
}

// Foreign makes a contestant of a peer that is a [Program].
func Foreign(info peer.Info, open func(ctx context.Context, dir string, mode peer.Mode) (Program, error)) Contestant {
	return Contestant{
		Info: info,
		open: func(ctx context.Context, dir string, mode peer.Mode) (io.Closer, error) {
			return open(ctx, dir, mode)
		},
		run: func(ctx context.Context, sc Scenario, e loadtest.Env, store io.Closer) (values, error) {
			return store.(Program).Measure(ctx, sc.Name, e)
		},
	}
}

// Bare is an open store of an honest limit: no queue, but a loop of the store's own commands with the bare costs of the
// promises.
type Bare interface {
	io.Closer

	// Hands gives as many loops as are best where so many rows are on their way together.
	Hands(rows int) []Hand
}

// Hand is one loop over a store; it is not for concurrent use.
type Hand interface {
	// EnqueueBulk stores jobs in one commit.
	EnqueueBulk(ctx context.Context, ids []int64) error

	// Cycle stores new jobs, ends those that its last call claimed, and claims up to n others, all in one commit
	// where the store can. It says how many it claimed.
	Cycle(ctx context.Context, ids []int64, n int) (claimed int, err error)
}

// Limit makes a contestant of an honest limit.
func Limit(info peer.Info, open func(ctx context.Context, dir string, mode peer.Mode) (Bare, error)) Contestant {
	return Contestant{
		Info: info,
		open: func(ctx context.Context, dir string, mode peer.Mode) (io.Closer, error) {
			return open(ctx, dir, mode)
		},
		run: func(ctx context.Context, sc Scenario, e loadtest.Env, store io.Closer) (values, error) {
			if sc.Limit == nil {
				return nil, loadtest.ErrCannot
			}
			return sc.Limit(ctx, e, store.(Bare))
		},
	}
}
