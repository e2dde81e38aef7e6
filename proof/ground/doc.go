// Package ground is where campaigns are fought: for each engine it opens the jobs, the ledger and an application's data,
// makes a fresh store for each campaign, and knows what of it can be attacked: the server, the ways to it, the clock.
//
//	g, err := ground.On(ctx, "redis:")
//	place, err := g.Place(ctx, dir)
//	report, err := campaign.Run(ctx, campaign.Config{URL: place.URL, Openers: ground.Openers, Dir: dir})
package ground
