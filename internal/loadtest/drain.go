package loadtest

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
)

// Drain asks how quickly workers that do nothing work off a backlog, until the queue says that nothing
// is pending, and what that allocates in the workers' process (an engine in it included).
func Drain(rest bool) Scenario {
	return Scenario{
		Name:    "drain" + suffix(rest),
		What:    "workers started on a backlog, timed until every completion is stored",
		Rest:    rest,
		Waiting: true,
		Sweep:   true,
		Figures: []Figure{Rate, {"allocations", "1/job", false}},
		Run: func(ctx context.Context, e Env, t Target) (Values, error) {
			v, _, err := Empty(ctx, e, t, t.Start)
			return v, err
		},
	}
}

// Starter starts workers, as [Target] says.
type Starter func(ctx context.Context, workers int, ran func()) (stop func() error, err error)

// Empty starts workers on what is pending and times them until nothing is, or until the cap. It
// returns how many jobs were pending at first.
func Empty(ctx context.Context, e Env, t Target, start Starter) (Values, int64, error) {
	before, err := t.Pending(ctx)
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
	left, err := settle(ctx, t, all, begin.Add(e.Cap))
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
	return Values{PerSecond: done / took.Seconds(), "allocations": float64(m1.Mallocs-m0.Mallocs) / done}, before, nil
}

// settle waits until all have run and the queue has nothing pending, or for the deadline, and returns
// what is pending then.
func settle(ctx context.Context, t Target, all <-chan struct{}, deadline time.Time) (int64, error) {
	select {
	case <-all:
	case <-time.After(time.Until(deadline)):
	case <-ctx.Done():
	}
	for {
		left, err := t.Pending(ctx)
		if err != nil || left == 0 || time.Now().After(deadline) {
			return left, err
		}
		if ctx.Err() != nil {
			return left, ctx.Err()
		}
		time.Sleep(2 * time.Millisecond)
	}
}
