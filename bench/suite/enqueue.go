package suite

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/twicehq/twice/bench/peer"
	"github.com/twicehq/twice/bench/rawsql"
	"github.com/twicehq/twice/bench/stats"
)

// enqueue asks how many jobs a second producers store one by one, each waiting for its answer.
func enqueue(producers int, rest bool) Scenario {
	return Scenario{
		Name:    fmt.Sprintf("enqueue_%d%s", producers, suffix(rest)),
		What:    fmt.Sprintf("%d producer(s), each storing one job at a time", producers),
		Rest:    rest,
		Figures: []Figure{rate, {"p50", "ms", false}, {"p99", "ms", false}},
		Run: func(ctx context.Context, e Env, p peer.Peer) (Values, error) {
			took, elapsed, err := produce(ctx, e, p, producers)
			return Values{
				perSecond: float64(len(took)) / elapsed.Seconds(),
				"p50":     ms(stats.Quantile(took, .5)),
				"p99":     ms(stats.Quantile(took, .99)),
			}, err
		},
		Limit: func(ctx context.Context, e Env, s *rawsql.Store) (Values, error) {
			return repeat(e, producers, func() error { return s.EnqueueBulk(ctx, e.next(producers)) })
		},
	}
}

// bulk asks the same of one producer that stores a thousand in a call.
func bulk(rest bool) Scenario {
	return Scenario{
		Name:    "bulk" + suffix(rest),
		What:    fmt.Sprintf("1 producer storing %d jobs a call", chunk),
		Rest:    rest,
		Figures: []Figure{rate},
		Run: func(ctx context.Context, e Env, p peer.Peer) (Values, error) {
			b, ok := p.(peer.Bulker)
			if !ok {
				return nil, errCannot
			}
			return repeat(e, chunk, func() error { return b.EnqueueBulk(ctx, e.next(chunk)) })
		},
		Limit: func(ctx context.Context, e Env, s *rawsql.Store) (Values, error) {
			return repeat(e, chunk, func() error { return s.EnqueueBulk(ctx, e.next(chunk)) })
		},
	}
}

// produce stores jobs for the length of a run and returns how long each call took.
func produce(ctx context.Context, e Env, p peer.Peer, producers int) ([]time.Duration, time.Duration, error) {
	var (
		mu    sync.Mutex
		all   []time.Duration
		first error
		wg    sync.WaitGroup
	)
	start := time.Now()
	for range producers {
		wg.Go(func() {
			var took []time.Duration
			var err error
			for t := start; err == nil && t.Sub(start) < e.Length; {
				err = p.Enqueue(ctx, e.ids.Add(1))
				now := time.Now()
				took = append(took, now.Sub(t))
				t = now
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

// repeat does n jobs at a time for the length of a run.
func repeat(e Env, n int, do func() error) (Values, error) {
	jobs := 0
	start := time.Now()
	for time.Since(start) < e.Length {
		if err := do(); err != nil {
			return nil, err
		}
		jobs += n
	}
	return Values{perSecond: float64(jobs) / time.Since(start).Seconds()}, nil
}

func suffix(rest bool) string {
	if rest {
		return "_rest"
	}
	return ""
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
