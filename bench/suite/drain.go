package suite

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/twicehq/twice/bench/peer"
	"github.com/twicehq/twice/bench/rawsql"
)

// drain asks how quickly workers that do nothing work off a backlog, until the store says that nothing
// is pending, and what that allocates in the workers' process (an engine in it included).
func drain(rest bool) Scenario {
	return Scenario{
		Name:    "drain" + suffix(rest),
		What:    "workers started on a backlog, timed until every completion is stored",
		Rest:    rest,
		Waiting: true,
		Sweep:   true,
		Figures: []Figure{rate, {"allocations", "1/job", false}},
		Run: func(ctx context.Context, e Env, p peer.Peer) (Values, error) {
			v, _, err := empty(ctx, e, p, p.Start)
			return v, err
		},
		Limit: func(ctx context.Context, e Env, s *rawsql.Store) (Values, error) {
			return limitDrain(ctx, e, s)
		},
	}
}

type starter func(ctx context.Context, workers int, ran func()) (stop func() error, err error)

// empty starts workers on what is pending and times them until nothing is, or until the cap. It
// returns how many jobs were pending at first.
func empty(ctx context.Context, e Env, p peer.Peer, start starter) (Values, int64, error) {
	before, err := p.Pending(ctx)
	if err != nil {
		return nil, 0, err
	}
	if before < int64(e.Backlog) {
		return nil, 0, fmt.Errorf("the store says that %d jobs are pending, %d were put there", before, e.Backlog)
	}
	var ran atomic.Int64
	all := make(chan struct{})
	var m0, m1 runtime.MemStats
	runtime.ReadMemStats(&m0)
	begin := time.Now()
	stop, err := start(ctx, e.Workers, func() {
		if ran.Add(1) == before {
			close(all)
		}
	})
	if err != nil {
		return nil, 0, err
	}
	left, err := settle(ctx, p, all, begin.Add(e.Cap))
	took := time.Since(begin)
	runtime.ReadMemStats(&m1)
	if e := stop(); err == nil {
		err = e
	}
	if err != nil {
		return nil, 0, err
	}
	if more := ran.Load() - before; more > 0 {
		fmt.Fprintf(e.Log, "%d jobs ran again\n", more)
	}
	if left == before {
		return nil, 0, fmt.Errorf("not one of %d jobs was done in %v", before, e.Cap)
	}
	done := float64(before - left)
	return Values{perSecond: done / took.Seconds(), "allocations": float64(m1.Mallocs-m0.Mallocs) / done}, before, nil
}

// settle waits until all have run and the store has nothing pending, or for the deadline, and returns
// what is pending then.
func settle(ctx context.Context, p peer.Peer, all <-chan struct{}, deadline time.Time) (int64, error) {
	select {
	case <-all:
	case <-time.After(time.Until(deadline)):
	case <-ctx.Done():
	}
	for {
		left, err := p.Pending(ctx)
		if err != nil || left == 0 || time.Now().After(deadline) {
			return left, err
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// limitDrain ends what it claimed before and claims more, in one commit.
func limitDrain(ctx context.Context, e Env, s *rawsql.Store) (Values, error) {
	const batch = 500
	done := 0
	start := time.Now()
	leases, err := s.Claim(ctx, batch)
	for err == nil && len(leases) > 0 && time.Since(start) < e.Cap {
		done += len(leases)
		leases, err = s.Cycle(ctx, nil, leases, batch)
	}
	return Values{perSecond: float64(done) / time.Since(start).Seconds()}, err
}
