package loadtest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

const pickupWorkers = 10

// Pickup asks how soon an idle worker starts a job that was just stored. A handler may start before
// Enqueue has returned, so the time from its return can be below zero; from its call it cannot.
func Pickup() Scenario {
	return Scenario{
		Name: "pickup",
		What: "one job at a time on an idle queue, from Enqueue's return (and from its call) to the handler's start",
		Figures: []Figure{
			{"p50", "ms", false}, {"p99", "ms", false},
			{"p50 from call", "ms", false}, {"p99 from call", "ms", false},
		},
		Run: runPickup,
	}
}

func runPickup(ctx context.Context, e Env, t Target) (Values, error) {
	started := make(chan time.Time, 64)
	stop, err := t.Start(ctx, pickupWorkers, func() { started <- time.Now() })
	if err != nil {
		return nil, err
	}
	time.Sleep(300 * time.Millisecond) // the workers are up and idle
	returned, called, err := pickups(ctx, e, t, started)
	if e := stop(); err == nil {
		err = e
	}
	return Values{
		"p50": ms(Quantile(returned, .5)), "p99": ms(Quantile(returned, .99)),
		"p50 from call": ms(Quantile(called, .5)), "p99 from call": ms(Quantile(called, .99)),
	}, err
}

func pickups(ctx context.Context, e Env, t Target, started <-chan time.Time) (returned, called []time.Duration, err error) {
	for range e.Samples {
		time.Sleep(time.Duration(5+rand.IntN(20)) * time.Millisecond)
		call := time.Now()
		if err := t.Enqueue(ctx, e.IDs.Add(1)); err != nil {
			return nil, nil, err
		}
		ret := time.Now()
		select {
		case at := <-started:
			returned = append(returned, at.Sub(ret))
			called = append(called, at.Sub(call))
		case <-time.After(10 * time.Second):
			return nil, nil, fmt.Errorf("a job was not picked up within 10 s")
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
	return returned, called, nil
}
