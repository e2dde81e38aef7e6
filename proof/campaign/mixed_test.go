package campaign_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/twicehq/twice/proof/campaign"
	"github.com/twicehq/twice/proof/ground"
)

// Campaign F15, small: worker processes are killed, frozen and deployed in turn; then all is quiet, and none of them
// holds more than it did.
func TestMixed(t *testing.T) {
	t.Parallel()
	attack := campaign.Mixed(campaign.KillWorkers, campaign.FreezeWorkers, campaign.StopWorkers)
	r := run(t, world(t, campaign.Config{Attack: attack, Strikes: 6, Jobs: max(or(0, 600), 200), Lease: 600 * time.Millisecond, Flat: true}))
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
	url, set := ground.Jumpy(cfg.URL, filepath.Join(cfg.Dir, "offset"))
	cfg.URL = url
	offset, jumps := time.Duration(0), 0
	cfg.Attack = campaign.Attack{Name: "clock jumps and kill -9", Strike: func(f *campaign.Field, victim *campaign.Process) (func(context.Context) error, error) {
		if jumps++; jumps%3 == 0 {
			offset -= 20 * time.Minute
		} else {
			offset += 10 * time.Minute
		}
		if err := set(offset); err != nil {
			return nil, err
		}
		return campaign.KillWorkers.Strike(f, victim)
	}}
	if r := run(t, cfg); !r.OK() {
		t.Fail()
	}
}
