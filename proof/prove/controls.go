package prove

import (
	"context"

	"github.com/twicehq/twice/proof/campaign"
)

// controls take a protection away. Each must be found broken, or the part it belongs to sees nothing.
var controls = []Part{
	{ID: "C1", Title: "ledger off, under F2", Shows: "effects twice", Control: true, once: true, fight: func(ctx context.Context, r *round) error {
		report, err := r.campaign(ctx, campaign.Config{Control: campaign.LedgerOff, Attack: campaign.KillWorkers, Strikes: 6, Jobs: 400})
		r.caught(report, campaign.RuleTwice)
		return err
	}},
	{ID: "C2", Title: "fence off, under F3", Shows: "a zombie's row beside its successor's", Control: true, once: true, fight: func(ctx context.Context, r *round) error {
		report, err := r.campaign(ctx, campaign.Config{Control: campaign.FenceOff, Attack: campaign.FreezeWorkers, Points: []campaign.Point{campaign.Looked}, Strikes: 4, Jobs: 300})
		r.caught(report, campaign.RuleTwice)
		return err
	}},
	{ID: "C3", Title: "crashes not counted, under F9", Shows: "a job that kills its process is started for ever", Control: true, once: true, fight: func(ctx context.Context, r *round) error {
		cfg := poison(campaign.Config{Control: campaign.CrashesOff, Poison: []campaign.Do{campaign.Kill}})
		report, err := r.campaign(ctx, cfg)
		r.caught(report, campaign.RulePoison)
		return err
	}},
	{ID: "C4", Title: "the ledger swept by id only, under F13", Shows: "an effect is made again", Control: true, once: true, fight: func(ctx context.Context, r *round) error {
		return late(ctx, r, control{sweepByID: true})
	}},
	{ID: "C5", Title: "origins not heeded, under F13", Shows: "a late request is accepted", Control: true, once: true, fight: func(ctx context.Context, r *round) error {
		return late(ctx, r, control{noOrigin: true})
	}},
	{ID: "C6", Title: "handlers without their guard, under F1", Shows: "the shortest schedule that breaks each", Control: true, once: true, fight: func(ctx context.Context, r *round) error {
		return r.kit(ctx, true)
	}},
}
