package prove

import (
	"context"
	"fmt"

	"github.com/twicehq/twice/proof/campaign"
	"github.com/twicehq/twice/proof/ground"
)

// engine are attacks on what the jobs are kept in.
var engine = []Part{
	{ID: "F4", Title: "kill -9 of the engine under load", Shows: "nothing that was acknowledged is lost, where the engine says so", fight: ended},
	{ID: "F7", Title: "the network cut after the request and before the reply", Shows: "the same call again is safe", fight: cut},
}

// ended kills the process that the engine's data is in: its server, or where it has none, those that enqueue and work.
func ended(ctx context.Context, r *round) error {
	if r.place.Server == nil {
		_, err := r.campaign(ctx, campaign.Config{Attack: campaign.Mixed(campaign.KillProducers, campaign.KillWorkers), Producers: 3, Strikes: 12, Jobs: 600})
		return err
	}
	report, err := r.campaign(ctx, campaign.Config{Attack: campaign.KillServer(r.place.Server, 0), Strikes: 5, Jobs: 600})
	if err == nil && (report.Outages.N == 0 || report.Unanswered == 0) {
		err = errShown
	}
	return err
}

// cut loses the replies to workers and to the campaign's own requests, each over a link of their own.
func cut(ctx context.Context, r *round) error {
	if r.place.Behind == nil {
		return fmt.Errorf("the ground has no link to break")
	}
	work, workLink, err := r.place.Behind()
	if err != nil {
		return err
	}
	produce, produceLink, err := r.place.Behind()
	if err != nil {
		return err
	}
	cfg := campaign.Config{URL: work, Attack: campaign.LoseReplies("EVAL", workLink, produceLink), Strikes: 12, Jobs: 600}
	cfg.Openers = map[string]campaign.Opener{"redis": func(ctx context.Context, _ string) (*campaign.Store, error) {
		return ground.Openers["redis"](ctx, produce)
	}}
	report, err := r.campaign(ctx, cfg)
	if err == nil && (report.Unanswered < cfg.Strikes || workLink.Hits() < cfg.Strikes) {
		err = errShown
	}
	r.note("%d connections of workers were cut before a reply, and %d of the producer", workLink.Hits(), produceLink.Hits())
	return err
}
