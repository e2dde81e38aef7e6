package prove

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/twicehq/twice/proof/campaign"
)

// elsewhere fights on with a fresh store, in a folder of its own.
func (r *round) elsewhere(ctx context.Context, fight func(*round) error) (err error) {
	next := *r
	next.dir = filepath.Join(r.dir, "next")
	if err := os.Mkdir(next.dir, 0o700); err != nil {
		return err
	}
	if next.place, err = r.Ground.Place(ctx, next.dir); err != nil {
		return err
	}
	err = fight(&next)
	return errors.Join(err, next.place.Close())
}

// clock is the engine's, set by hand; in between it goes on by itself.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time         { return time.Now().Round(0).Add(time.Duration(c.ahead.Load())) }
func (c *clock) pass(d time.Duration)   { c.ahead.Add(int64(d)) }
func (c *clock) since(t time.Time) bool { return !c.now().Before(t) }

// inProcess opens the round's store in this process, on a clock that can be set.
func (r *round) inProcess(ctx context.Context) (*campaign.Store, *clock, error) {
	c := &clock{}
	store, err := r.place.Open(ctx, c.now)
	return store, c, err
}
