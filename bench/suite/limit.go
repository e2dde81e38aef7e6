package suite

import (
	"context"
	"time"

	"github.com/twicehq/twice/bench/rawsql"
	"github.com/twicehq/twice/internal/loadtest"
)

type values = loadtest.Values

// limitEnqueue inserts as many rows a commit as a scenario has callers or jobs a call.
func limitEnqueue(rows int) func(context.Context, loadtest.Env, *rawsql.Store) (values, error) {
	return func(ctx context.Context, e loadtest.Env, s *rawsql.Store) (values, error) {
		return loadtest.Repeat(e, rows, func() error { return s.EnqueueBulk(ctx, e.Next(rows)) })
	}
}

// limitDrain ends what it claimed before and claims more, in one commit.
func limitDrain(ctx context.Context, e loadtest.Env, s *rawsql.Store) (values, error) {
	const batch = 500
	done := 0
	start := time.Now()
	leases, err := s.Claim(ctx, batch)
	for err == nil && len(leases) > 0 && time.Since(start) < e.Cap {
		done += len(leases)
		leases, err = s.Cycle(ctx, nil, leases, batch)
	}
	return values{loadtest.PerSecond: float64(done) / time.Since(start).Seconds()}, err
}

// limitBoth inserts, claims and ends as many rows a commit as there are producers.
func limitBoth(ctx context.Context, e loadtest.Env, s *rawsql.Store) (values, error) {
	const n = loadtest.BothProducers
	var leases []rawsql.Lease
	return loadtest.Repeat(e, n, func() (err error) {
		leases, err = s.Cycle(ctx, e.Next(n), leases, n)
		return err
	})
}

// limitEffect changes the application's row and ends the job in one commit, one job at a time.
func limitEffect(ctx context.Context, e loadtest.Env, s *rawsql.Store) (values, error) {
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
	return values{loadtest.PerSecond: float64(done) / time.Since(start).Seconds()}, nil
}
