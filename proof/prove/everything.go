package prove

import (
	"context"

	"github.com/twicehq/twice/proof/campaign"
)

var everything = []Part{
	{ID: "F15", Title: "all mixed, then quiet", Shows: "all ended; memory, goroutines and files flat", fight: mixed},
}

// mixed kills, freezes and deploys in turn, and where the engine has a server, ends that, too; some jobs are poison.
func mixed(ctx context.Context, r *round) error {
	attacks := []campaign.Attack{campaign.KillWorkers, campaign.FreezeWorkers, campaign.StopWorkers}
	if r.place.Server != nil {
		attacks = append(attacks, campaign.KillServer(r.place.Server, 0))
	}
	_, err := r.campaign(ctx, campaign.Config{Attack: campaign.Mixed(attacks...), Strikes: 2 * len(attacks), Jobs: 800, Flat: true})
	return err
}
