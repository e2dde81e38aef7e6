package prove

import (
	"context"

	"github.com/twicehq/twice/proof/campaign"
)

// workers are attacks on the processes that run jobs.
var workers = []Part{
	{ID: "F2", Title: "kill -9 of worker processes", Shows: "nothing lost, nothing made twice, and no innocent buried", fight: killed},
	{ID: "F3", Title: "workers stopped past two leases, then continued", Shows: "what a zombie still does changes nothing", fight: frozen},
}

// killed kills anybody at any point; and then, where each crash makes a suspect, the parents of suspects, too.
func killed(ctx context.Context, r *round) error {
	if _, err := r.campaign(ctx, campaign.Config{Attack: campaign.KillWorkers, Strikes: 15, Jobs: 1500}); err != nil {
		return err
	}
	return r.elsewhere(ctx, func(r *round) error { // a job that strikes alone bring to its cap is dead, and no innocent
		report, err := r.campaign(ctx, campaign.Config{Attack: campaign.KillWorkers, Strikes: 4, Jobs: 160, MaxCrashes: 2, Lone: true,
			Points: []campaign.Point{campaign.ChargeAsked, campaign.Suspect}})
		if err == nil && report.Suspects == 0 {
			err = errShown
		}
		return err
	})
}

func frozen(ctx context.Context, r *round) error {
	report, err := r.campaign(ctx, campaign.Config{Attack: campaign.FreezeWorkers, Strikes: 3, Jobs: 300})
	if err == nil && report.Overtaken == 0 {
		err = errShown
	}
	return err
}
