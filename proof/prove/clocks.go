package prove

import (
	"context"
	"time"

	"github.com/twicehq/twice/proof/campaign"
	"github.com/twicehq/twice/proof/ground"
)

// clocks are attacks on time.
var clocks = []Part{
	{ID: "F8", Title: "the clock jumps ten minutes on, runs back, and stands still", Shows: "safety does not depend on time", jumps: true, fight: jumping},
}

// jumping sets the clock of all processes off by a file, and kills a worker each time: its leases run out too early, or late.
func jumping(ctx context.Context, r *round) error {
	url, set := ground.Jumpy(r.place.URL, r.file("offset"))
	offset, jumps := time.Duration(0), 0
	// At these points a process always has a job, so that each kill shows something.
	points := []campaign.Point{campaign.ChargeAsked, campaign.ChargeMade}
	attack := campaign.Attack{Name: "clock jumps and kill -9", Strike: func(f *campaign.Field, victim *campaign.Process) (func(context.Context) error, error) {
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
	_, err := r.campaign(ctx, campaign.Config{URL: url, Attack: attack, Points: points, Strikes: 6, Jobs: 600})
	r.found.Cuts += jumps
	r.note("the clock jumped %d times", jumps)
	return err
}
