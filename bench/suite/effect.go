package suite

import (
	"context"
	"fmt"
	"time"

	"github.com/twicehq/twice/bench/peer"
	"github.com/twicehq/twice/bench/rawsql"
)

// effect asks how quickly a backlog drains whose handler changes a row of the application's own table,
// exactly once: the change and the job's completion are one transaction.
var effect = Scenario{
	Name:    "effect",
	What:    "drain of jobs that each change a row of the application's table, in one transaction with their completion",
	Waiting: true,
	Sweep:   true,
	Figures: []Figure{rate},
	Run: func(ctx context.Context, e Env, p peer.Peer) (Values, error) {
		x, ok := p.(peer.Effecter)
		if !ok {
			return nil, errCannot
		}
		v, before, err := empty(ctx, e, p, x.StartEffects)
		if err != nil {
			return nil, err
		}
		left, err := p.Pending(ctx)
		if err != nil {
			return nil, err
		}
		made, err := x.Effects(ctx)
		if err == nil && made != before-left {
			err = fmt.Errorf("%d jobs are done and %d effects are made", before-left, made)
		}
		return Values{perSecond: v[perSecond]}, err
	},
	Limit: func(ctx context.Context, e Env, s *rawsql.Store) (Values, error) {
		done := 0
		start := time.Now()
		for time.Since(start) < e.Length {
			leases, err := s.Claim(ctx, 64)
			if err != nil {
				return nil, err
			}
			if len(leases) == 0 {
				break
			}
			for _, l := range leases {
				if err := s.Effect(ctx, l); err != nil {
					return nil, err
				}
				done++
			}
		}
		return Values{perSecond: float64(done) / time.Since(start).Seconds()}, nil
	},
}
