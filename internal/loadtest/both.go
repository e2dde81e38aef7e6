package loadtest

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// BothProducers is how many producers [Both] has.
const BothProducers = 16

// Both asks how many jobs a second go all the way while producers and workers share the queue.
func Both() Scenario {
	return Scenario{
		Name:    fmt.Sprintf("both_%d", BothProducers),
		What:    fmt.Sprintf("%d producers and the workers at once, timed until all that was stored is done", BothProducers),
		Sweep:   true,
		Figures: []Figure{Rate},
		Run:     runBoth,
	}
}

func runBoth(ctx context.Context, e Env, t Target) (Values, error) {
	var ran atomic.Int64
	stop, err := t.Start(ctx, e.Workers, func() { ran.Add(1) })
	if err != nil {
		return nil, err
	}
	time.Sleep(200 * time.Millisecond) // the workers are up and idle
	begin := time.Now()
	took, _, err := produce(ctx, e, t, BothProducers)
	var left int64
	if err == nil {
		left, err = settle(ctx, t, closed, time.Now().Add(e.Cap))
	}
	elapsed := time.Since(begin)
	if e := stop(); err == nil {
		err = e
	}
	if err != nil {
		return nil, err
	}
	done := int64(len(took)) - left
	if ran.Load() < done {
		return nil, fmt.Errorf("%d jobs ran, the store says that %d are done", ran.Load(), done)
	}
	return Values{PerSecond: float64(done) / elapsed.Seconds()}, nil
}

var closed = func() <-chan struct{} { c := make(chan struct{}); close(c); return c }()
