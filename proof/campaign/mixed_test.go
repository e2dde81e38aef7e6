package campaign_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/proof/campaign"
)

// Campaign F15, small: worker processes are killed, frozen and deployed in turn.
func TestMixed(t *testing.T) {
	t.Parallel()
	attack := campaign.Mixed(campaign.KillWorkers, campaign.FreezeWorkers, campaign.StopWorkers)
	r := run(t, world(t, campaign.Config{Attack: attack, Strikes: 6, Jobs: max(or(0, 600), 200), Lease: 600 * time.Millisecond}))
	if !r.OK() {
		t.Fail()
	}
}

// Campaign F8, small: the host's clock jumps ten minutes on or back, under all processes at once, and each
// time a worker process is killed.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	// The points are those at which a process always has a job: else a kill may show nothing.
	cfg := world(t, campaign.Config{Strikes: max(or(0, 6), 3), Jobs: max(or(0, 600), 200), Points: []campaign.Point{campaign.Begun, campaign.ChargeAsked, campaign.ChargeMade}})
	cfg.URL = strings.Replace(cfg.URL, "sqlite:", "jumpy:", 1)
	offset, jumps := time.Duration(0), 0
	cfg.Attack = campaign.Attack{Name: "clock jumps and kill -9", Strike: func(f *campaign.Field, victim *campaign.Process) (func(context.Context) error, error) {
		if jumps++; jumps%3 == 0 {
			offset -= 20 * time.Minute
		} else {
			offset += 10 * time.Minute
		}
		if err := os.WriteFile(filepath.Join(cfg.Dir, "offset"), []byte(strconv.FormatInt(int64(offset), 10)), 0o600); err != nil {
			return nil, err
		}
		return campaign.KillWorkers.Strike(f, victim)
	}}
	if r := run(t, cfg); !r.OK() {
		t.Fail()
	}
}

// openJumpy opens an engine whose host's clock is off by what a file beside it says.
func openJumpy(ctx context.Context, url string) (*campaign.Store, error) {
	path := strings.TrimPrefix(url, "jumpy:")
	var offset atomic.Int64
	read := func() {
		if text, err := os.ReadFile(filepath.Join(filepath.Dir(path), "offset")); err == nil {
			if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
				offset.Store(n)
			}
		}
	}
	read()
	go func() {
		for range time.Tick(10 * time.Millisecond) {
			read()
		}
	}()
	return openWith(ctx, path, sqlite.Config{Now: func() time.Time {
		// Without its monotonic part: the host's clock was set.
		return time.Now().Round(0).Add(time.Duration(offset.Load()))
	}})
}
