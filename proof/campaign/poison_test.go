package campaign_test

import (
	"testing"
	"time"

	"github.com/twicehq/twice/proof/campaign"
)

// poisoned is a campaign without strikes: what strikes are the jobs.
func poisoned(cfg campaign.Config) campaign.Config {
	cfg.Jobs, cfg.Poison, cfg.Lease = max(or(0, 600), 200), campaign.Poisons(), 600*time.Millisecond
	cfg.MaxCrashes, cfg.MaxFailures, cfg.Lone = crashCap, 3, true
	return cfg
}

// Campaign F9: jobs that end their process in three ways, panic, loop and are deaf. Each is buried exactly at its cap, and
// no innocent with them.
func TestPoison(t *testing.T) {
	if r := run(t, poisoned(world(t, campaign.Config{}))); !r.OK() || r.Dead != len(campaign.Poisons()) || r.Suspects == 0 {
		t.Fail()
	}
}

func TestPoisonRedis(t *testing.T) {
	cfg, _ := redisWorld(t, campaign.Config{})
	if r := run(t, poisoned(cfg)); !r.OK() || r.Dead != len(campaign.Poisons()) || r.Suspects == 0 {
		t.Fail()
	}
}

// Where crashes are not counted, a job that kills its process is started again for ever, and the checker must say so.
func TestControlCrashesOff(t *testing.T) {
	cfg := poisoned(world(t, campaign.Config{Control: campaign.CrashesOff}))
	cfg.Poison = []campaign.Do{campaign.Kill}
	if r := run(t, cfg); r.Broken(campaign.RulePoison) == 0 {
		t.Error("a job that kills its process again and again was not found")
	}
}

// Campaign F12: every job gives up after its first effect, and is redriven while workers are frozen and killed.
func TestRedriven(t *testing.T) {
	t.Parallel()
	cfg := world(t, campaign.Config{Redriven: true, Strikes: 4, Jobs: max(or(0, 600), 200), Lease: 600 * time.Millisecond})
	cfg.Attack = campaign.Mixed(campaign.KillWorkers, campaign.FreezeWorkers)
	if r := run(t, cfg); !r.OK() || r.Redriven != r.Jobs {
		t.Fail()
	}
}

// Campaign F11: a backlog that was enqueued while there was no worker is drained under kills.
func TestBacklogUnderKills(t *testing.T) {
	t.Parallel()
	if r := run(t, world(t, campaign.Config{Backlog: max(or(*jobs, 3000), 500), Strikes: 3, Jobs: 200})); !r.OK() {
		t.Fail()
	}
}
