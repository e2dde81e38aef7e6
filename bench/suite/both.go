package suite

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/twicehq/twice/bench/peer"
	"github.com/twicehq/twice/bench/rawsql"
)

const bothProducers = 16

// both asks how many jobs a second go all the way while producers and workers share the store.
var both = Scenario{
	Name:    "both_16",
	What:    "16 producers and the workers at once, timed until all that was stored is done",
	Sweep:   true,
	Figures: []Figure{rate},
	Run: func(ctx context.Context, e Env, p peer.Peer) (Values, error) {
		var ran atomic.Int64
		stop, err := p.Start(ctx, e.Workers, func() { ran.Add(1) })
		if err != nil {
			return nil, err
		}
		time.Sleep(200 * time.Millisecond) // the workers are up and idle
		begin := time.Now()
		took, _, err := produce(ctx, e, p, bothProducers)
		var left int64
		if err == nil {
			left, err = settle(ctx, p, closed, time.Now().Add(e.Cap))
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
		return Values{perSecond: float64(done) / elapsed.Seconds()}, nil
	},
	Limit: func(ctx context.Context, e Env, s *rawsql.Store) (Values, error) {
		var leases []rawsql.Lease
		return repeat(e, bothProducers, func() (err error) {
			leases, err = s.Cycle(ctx, e.next(bothProducers), leases, bothProducers)
			return err
		})
	},
}

var closed = func() <-chan struct{} { c := make(chan struct{}); close(c); return c }()
