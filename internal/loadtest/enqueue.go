package loadtest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Enqueue asks how many jobs a second producers store one by one, each waiting for its answer.
func Enqueue(producers int, rest bool) Scenario {
	return Scenario{
		Name:    fmt.Sprintf("enqueue_%d%s", producers, suffix(rest)),
		What:    fmt.Sprintf("%d producer(s), each storing one job at a time", producers),
		Rest:    rest,
		Figures: []Figure{Rate, {"p50", "ms", false}, {"p99", "ms", false}},
		Run: func(ctx context.Context, e Env, t Target) (Values, error) {
			took, elapsed, err := produce(ctx, e, t, producers)
			return Values{
				PerSecond: float64(len(took)) / elapsed.Seconds(),
				"p50":     ms(Quantile(took, .5)),
				"p99":     ms(Quantile(took, .99)),
			}, err
		},
	}
}

// Bulk asks the same of one producer that stores a thousand in a call.
func Bulk(rest bool) Scenario {
	return Scenario{
		Name:    "bulk" + suffix(rest),
		What:    fmt.Sprintf("1 producer storing %d jobs a call", Chunk),
		Rest:    rest,
		Figures: []Figure{Rate},
		Run: func(ctx context.Context, e Env, t Target) (Values, error) {
			b, ok := t.(Bulker)
			if !ok {
				return nil, ErrCannot
			}
			return Repeat(e, Chunk, func() error { return b.EnqueueBulk(ctx, e.Next(Chunk)) })
		},
	}
}

// produce stores jobs for the length of a run and returns how long each call took.
func produce(ctx context.Context, e Env, t Target, producers int) ([]time.Duration, time.Duration, error) {
	var (
		mu    sync.Mutex
		all   []time.Duration
		first error
		wg    sync.WaitGroup
	)
	var stored atomic.Int64
	start := time.Now()
	for range producers {
		wg.Go(func() {
			var took []time.Duration
			var err error
			for at := start; !e.enough(stored.Load(), start); {
				if err = t.Enqueue(ctx, e.IDs.Add(1)); err != nil {
					break
				}
				now := time.Now()
				took = append(took, now.Sub(at))
				stored.Add(1)
				at = now
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, took...)
			if first == nil {
				first = err
			}
		})
	}
	wg.Wait()
	return all, time.Since(start), first
}

// Repeat does n jobs at a time for the length of a run.
func Repeat(e Env, n int, do func() error) (Values, error) {
	jobs := 0
	start := time.Now()
	for !e.enough(int64(jobs), start) {
		if err := do(); err != nil {
			return nil, err
		}
		jobs += n
	}
	return Values{PerSecond: float64(jobs) / time.Since(start).Seconds()}, nil
}
