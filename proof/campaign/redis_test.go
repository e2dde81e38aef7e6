package campaign_test

import (
	"testing"

	"github.com/twicehq/twice/internal/redistest"
	"github.com/twicehq/twice/proof/campaign"
)

// redisWorld is a campaign on a server of the test's own, which syncs each write before it answers.
func redisWorld(t *testing.T, cfg campaign.Config) (campaign.Config, *redistest.Server) {
	t.Helper()
	return redisWorldOn(t, redistest.Options{Persistence: redistest.Always}, cfg)
}

func redisWorldOn(t *testing.T, o redistest.Options, cfg campaign.Config) (campaign.Config, *redistest.Server) {
	t.Helper()
	s := redistest.Start(t, o)
	cfg = world(t, cfg)
	cfg.URL = s.URL()
	return cfg, s
}
