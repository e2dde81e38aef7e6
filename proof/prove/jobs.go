package prove

import (
	"context"

	"github.com/twicehq/twice/proof/campaign"
)

// jobs are attacks by jobs themselves, and by how many there are.
var jobs = []Part{
	{ID: "F9", Title: "poison: exit, kill, panic, out of memory, endless loop, deaf", Shows: "each is buried exactly at its cap, and no innocent with it", fight: poisoned},
	{ID: "F10", Title: "a dependency down for five minutes", Shows: "retries are bounded and spread out", fight: down},
	{ID: "F11", Title: "a backlog from before there was a worker, drained under kills", Shows: "effects once", fight: backlogged},
	{ID: "F12", Title: "every job gives up and is redriven beside zombies", Shows: "effects once, each job redriven once", fight: redriven},
}

func poisoned(ctx context.Context, r *round) error {
	report, err := r.campaign(ctx, poison(campaign.Config{Poison: campaign.Poisons()}))
	if err == nil && (report.Suspects == 0 || report.Dead == 0) {
		err = errShown
	}
	return err
}

func poison(cfg campaign.Config) campaign.Config {
	cfg.Jobs, cfg.MaxCrashes, cfg.MaxFailures, cfg.Lone = 600, 3, 3, true
	return cfg
}

func backlogged(ctx context.Context, r *round) error {
	_, err := r.campaign(ctx, campaign.Config{Attack: campaign.KillWorkers, Backlog: 5000, Strikes: 4, Jobs: 200})
	return err
}

func redriven(ctx context.Context, r *round) error {
	_, err := r.campaign(ctx, campaign.Config{Attack: campaign.Mixed(campaign.KillWorkers, campaign.FreezeWorkers), Redriven: true, Strikes: 4, Jobs: 600})
	return err
}
