//go:build race

package campaign_test

// slower is how much smaller a campaign is in CI where the race detector slows everything down.
const slower = 4
