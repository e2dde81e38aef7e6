package suite

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twicehq/twice/internal/loadtest"
)

type values = loadtest.Values

// limitDrainRows is how many rows a drain of the limit has on their way.
const limitDrainRows = 500

// limitEnqueue inserts as many rows together as a scenario has callers or jobs a call.
func limitEnqueue(rows int) func(context.Context, loadtest.Env, Bare) (values, error) {
	return func(ctx context.Context, e loadtest.Env, s Bare) (values, error) {
		return Together(s.Hands(rows), e.Length, func(h Hand, share int) func() (int, error) {
			n := rows / share
			return func() (int, error) { return n, h.EnqueueBulk(ctx, e.Next(n)) }
		})
	}
}

// limitDrain ends what it claimed before and claims more, in one commit.
func limitDrain(ctx context.Context, e loadtest.Env, s Bare) (values, error) {
	return Together(s.Hands(limitDrainRows), e.Cap, func(h Hand, share int) func() (int, error) {
		held := 0
		return func() (ended int, err error) {
			if held == 0 {
				if held, err = h.Cycle(ctx, nil, limitDrainRows/share); err != nil {
					return 0, err
				}
			}
			ended = held
			held, err = h.Cycle(ctx, nil, limitDrainRows/share)
			return ended, err
		}
	})
}

// limitBoth inserts, claims and ends as many rows together as there are producers.
func limitBoth(ctx context.Context, e loadtest.Env, s Bare) (values, error) {
	return Together(s.Hands(loadtest.BothProducers), e.Length, func(h Hand, share int) func() (int, error) {
		n := loadtest.BothProducers / share
		return func() (int, error) {
			_, err := h.Cycle(ctx, e.Next(n), n)
			return n, err
		}
	})
}

// Together lets all hands do what turn gives each, over and over, until the time is up or there is nothing left to do.
func Together(hands []Hand, atMost time.Duration, turn func(h Hand, of int) func() (int, error)) (values, error) {
	var jobs atomic.Int64
	var all sync.WaitGroup
	errs := make([]error, len(hands))
	start := time.Now()
	for i, h := range hands {
		do := turn(h, len(hands))
		all.Go(func() {
			for n := 1; n > 0 && errs[i] == nil && time.Since(start) < atMost; {
				n, errs[i] = do()
				jobs.Add(int64(n))
			}
		})
	}
	all.Wait()
	return values{loadtest.PerSecond: float64(jobs.Load()) / time.Since(start).Seconds()}, errors.Join(errs...)
}
