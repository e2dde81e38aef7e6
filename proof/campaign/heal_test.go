package campaign_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/proof/campaign"
	"github.com/twicehq/twice/proof/ground"
	"github.com/twicehq/twice/queue"
)

// behind holds the second request of a campaign back until the strike has been made.
type behind struct {
	queue.Engine
	strike <-chan struct{}
	n      atomic.Int32
}

func (b *behind) Unwrap() queue.Engine { return b.Engine }

func (b *behind) Enqueue(ctx context.Context, jobs ...queue.Job) ([]queue.Receipt, error) {
	if b.n.Add(1) == 2 {
		select {
		case <-b.strike:
		case <-ctx.Done():
		}
	}
	return b.Engine.Enqueue(ctx, jobs...)
}

// A strike that takes the lock of the whole store, as one does that stops a process in the middle of a commit,
// is healed though the campaign itself waits for that lock: its own request must not stand before the healing.
func TestHealingDoesNotWaitForTheLoad(t *testing.T) {
	t.Parallel()
	cfg := world(t, campaign.Config{Strikes: 1, Jobs: 40, Workers: 1, Points: []campaign.Point{campaign.Begun}, Timeout: time.Minute})
	struck := make(chan struct{})
	var requests *behind
	cfg.Openers = map[string]campaign.Opener{"sqlite": func(ctx context.Context, url string) (*campaign.Store, error) {
		store, err := ground.Openers["sqlite"](ctx, url)
		if err == nil {
			requests = &behind{Engine: store.Engine, strike: struck}
			store.Engine = requests
		}
		return store, err
	}}
	cfg.Attack = campaign.Attack{Name: "the store's lock is held", Strike: func(*campaign.Field, *campaign.Process) (func(context.Context) error, error) {
		defer close(struck)
		lock, err := requests.Engine.(*sqlite.Engine).DB().BeginTx(t.Context(), nil)
		if err != nil {
			return nil, err
		}
		return func(context.Context) error { return lock.Rollback() }, nil
	}}
	r := run(t, cfg)
	if r.StruckAt[campaign.Begun] != 1 || r.Done != 40 || requests.n.Load() < 2 {
		t.Errorf("struck at %v, %d requests, %d done: nothing was shown", r.StruckAt, requests.n.Load(), r.Done)
	}
}
