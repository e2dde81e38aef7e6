package suite

import (
	"context"
	"io"

	"github.com/twicehq/twice/bench/peer"
	"github.com/twicehq/twice/bench/rawsql"
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

// Limit makes a contestant of plain SQL with the promises' bare costs.
func Limit(index rawsql.Index) Contestant {
	name := "limit"
	if index != rawsql.Plain {
		name += "-" + string(index)
	}
	return Contestant{
		Info: peer.Info{
			Name:       name,
			About:      "plain SQL on SQLite (modernc) with the promises' bare costs, " + string(index) + " id index",
			Durability: "fsync every commit (WAL, FULL)",
			Reference:  true,
		},
		open: func(ctx context.Context, dir string, mode peer.Mode) (io.Closer, error) {
			return rawsql.Open(ctx, dir, index, mode)
		},
		run: func(ctx context.Context, sc Scenario, e loadtest.Env, store io.Closer) (values, error) {
			if sc.Limit == nil {
				return nil, loadtest.ErrCannot
			}
			return sc.Limit(ctx, e, store.(*rawsql.Store))
		},
	}
}
