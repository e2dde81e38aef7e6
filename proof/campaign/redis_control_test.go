package campaign_test

import (
	"testing"
	"time"

	"github.com/twicehq/twice/internal/redistest"
	"github.com/twicehq/twice/proof/campaign"
)

// Without the ledger a kill doubles effects of all sorts on Redis, too.
func TestControlLedgerOffRedis(t *testing.T) {
	t.Parallel()
	cfg, _ := redisWorld(t, campaign.Config{Control: campaign.LedgerOff, Attack: campaign.KillWorkers, Strikes: 5, Jobs: max(or(0, 400), 200)})
	if r := run(t, cfg); r.StartedTwice == 0 || r.Broken(campaign.RuleTwice) == 0 {
		t.Error("effects without a record were not found to be made twice")
	}
}

// Without the fence a frozen worker that goes on makes a row beside that of its successor, and both are told that the
// job is done by them.
func TestControlFenceOffRedis(t *testing.T) {
	t.Parallel()
	cfg, _ := redisWorld(t, campaign.Config{Control: campaign.FenceOff, Attack: campaign.FreezeWorkers, Points: []campaign.Point{campaign.Looked}, Strikes: 5, Jobs: max(or(0, 400), 200), Lease: 600 * time.Millisecond})
	r := run(t, cfg)
	if r.Overtaken == 0 || r.Broken(campaign.RuleTwice) == 0 || r.Broken(campaign.RuleEndedTwice) == 0 {
		t.Error("rows that rest on the fence alone were not found to be made twice")
	}
}

// A row that is made beside its record, and not with it in one script, is made again where the server ended between
// the two.
func TestControlRowBesideRecordRedis(t *testing.T) {
	t.Parallel()
	cfg, s := redisWorld(t, campaign.Config{Strikes: 6, Jobs: max(or(0, 400), 240)})
	cfg.URL = "torn:" + cfg.URL
	cfg.Attack = campaign.KillServer(s.Server, 0)
	if r := run(t, cfg); r.StartedTwice == 0 || r.Broken(campaign.RuleTwice) == 0 {
		t.Error("rows whose record was not made with them were not found to be made twice")
	}
}

// A server that keeps nothing on the disk loses what it accepted when it is killed, and the checker must find it.
func TestControlServerForgetsRedis(t *testing.T) {
	t.Parallel()
	cfg, s := redisWorldOn(t, redistest.Options{}, campaign.Config{Strikes: 3, Jobs: 200})
	cfg.Attack = campaign.KillServer(s.Server, 0)
	if r := run(t, cfg); r.Outages.N == 0 || r.Broken(campaign.RuleLost) == 0 {
		t.Error("accepted jobs that the server forgot were not found to be lost")
	}
}
