package campaign_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/twicehq/twice/internal/redistest"
	"github.com/twicehq/twice/proof/campaign"
	"github.com/twicehq/twice/proof/history"
)

// explained runs a campaign, fails unless the calls of all its processes keep the protocol, and gives them.
func explained(t *testing.T, cfg campaign.Config) (campaign.Report, []history.Op) {
	t.Helper()
	needClock(t)
	cfg.History = campaign.HistoryOfEngine
	r := run(t, cfg)
	if !r.OK() {
		keepHistory(t, cfg)
		t.Fail()
	}
	if h := r.History; h.Unknown == 0 || h.Breaches > 0 || !h.Linearizable {
		t.Errorf("%d of unknown outcome, %d breaches, linearizable: %v", h.Unknown, h.Breaches, h.Linearizable)
	}
	ops, _, _, err := history.ReadFolder(filepath.Join(cfg.Dir, campaign.HistoryDir))
	if err != nil {
		t.Fatal(err)
	}
	return r, ops
}

// needClock skips where no clock is known that all processes share.
func needClock(t *testing.T) {
	t.Helper()
	if _, err := history.NewClock(); err != nil {
		if runtime.GOOS == "linux" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}

// keepHistory leaves a refused history for a person to read.
func keepHistory(t *testing.T, cfg campaign.Config) {
	t.Helper()
	dir, err := os.MkdirTemp("", "history-")
	if err == nil {
		err = os.CopyFS(dir, os.DirFS(filepath.Join(cfg.Dir, campaign.HistoryDir)))
	}
	t.Log("the history is in", dir, err)
}

// Worker processes are killed, most of them amid a call: nobody knows its outcome. Each job is settled by a worker, or
// by its handler in a transaction of the application's.
func TestHistoryKillWorkers(t *testing.T) {
	killed(t, world(t, campaign.Config{}))
}

func TestHistoryKillWorkersRedis(t *testing.T) {
	cfg, _ := redisWorld(t, campaign.Config{})
	killed(t, cfg)
}

func killed(t *testing.T, cfg campaign.Config) {
	t.Helper()
	cfg.Strikes, cfg.Jobs, cfg.Lease = max(or(*kills, 8), 6), max(or(*jobs, 400), 200), 600*time.Millisecond
	cfg.Attack = campaign.Mixed(campaign.KillInCall, campaign.KillInCall, campaign.KillWorkers)
	r, ops := explained(t, cfg)
	if h := r.History; h.Cut == 0 || h.Replaced == 0 || h.Processes <= r.Restarts {
		t.Errorf("%d calls cut, %d leases replaced, %d processes: nothing was shown", h.Cut, h.Replaced, h.Processes)
	}
	refuseForgeries(t, ops)
}

// Frozen worker processes go on with leases that were replaced, and are told so; others are killed amid a call.
func TestHistoryFreezeWorkers(t *testing.T) {
	t.Parallel()
	frozenAndKilled(t, world(t, campaign.Config{}))
}

func TestHistoryFreezeWorkersRedis(t *testing.T) {
	t.Parallel()
	cfg, _ := redisWorld(t, campaign.Config{})
	frozenAndKilled(t, cfg)
}

func frozenAndKilled(t *testing.T, cfg campaign.Config) {
	t.Helper()
	cfg.Strikes, cfg.Jobs, cfg.Lease = max(or(*freezes, 4), 4), max(or(*jobs, 200), 100), 500*time.Millisecond
	cfg.Attack = campaign.Mixed(campaign.KillInCall, campaign.FreezeWorkers)
	r, ops := explained(t, cfg)
	if h := r.History; h.Replaced == 0 || h.ToldLost == 0 || r.Overtaken == 0 {
		t.Errorf("%d leases replaced, %d told, %d frozen workers overtaken: nothing was shown", h.Replaced, h.ToldLost, r.Overtaken)
	}
	refuseForgeries(t, ops)
}

// The server is killed amid the calls of all processes, which then ask again.
func TestHistoryKillServerRedis(t *testing.T) {
	cfg, s := redisWorld(t, campaign.Config{})
	cfg.Strikes, cfg.Jobs = max(or(*servers, 4), 3), max(or(*jobs, 300), 100)
	cfg.Attack = campaign.KillServer(s.Server, 0)
	r, ops := explained(t, cfg)
	if r.Outages.N != cfg.Strikes || r.Unanswered == 0 {
		t.Errorf("%d ends of the server, %d requests not answered: nothing was shown", r.Outages.N, r.Unanswered)
	}
	refuseForgeries(t, ops)
}

// Without the fence a worker is told that a settlement by a lease that was replaced was applied. What the workers were
// told breaks the protocol, and must be found; what the engine answered beneath does not.
func TestHistoryFenceOff(t *testing.T) {
	needClock(t)
	for _, what := range []campaign.History{campaign.HistoryOfWorkers, campaign.HistoryOfEngine} {
		t.Run(string(what), func(t *testing.T) {
			t.Parallel()
			r := run(t, world(t, campaign.Config{History: what, Control: campaign.FenceOff, Attack: campaign.FreezeWorkers, Points: []campaign.Point{campaign.Looked},
				Strikes: 3, Jobs: 200, Lease: 500 * time.Millisecond}))
			if r.Overtaken == 0 || r.Broken(campaign.RuleTwice) == 0 {
				t.Error("the fence was not missed: nothing was shown")
			}
			broken := what == campaign.HistoryOfWorkers
			if h := r.History; r.Broken(campaign.RuleHistory) > 0 != broken || h.Breaches > 0 != broken || h.Linearizable == broken {
				t.Errorf("%d breaches, linearizable: %v", h.Breaches, h.Linearizable)
			}
		})
	}
}

// A server that keeps nothing on the disk forgets what it accepted, leased and settled: the calls of those who used it
// say so, whatever the store shows afterwards.
func TestHistoryServerForgetsRedis(t *testing.T) {
	needClock(t)
	cfg, s := redisWorldOn(t, redistest.Options{}, campaign.Config{History: campaign.HistoryOfEngine, Strikes: 3, Jobs: 200})
	cfg.Attack = campaign.KillServer(s.Server, 0)
	r := run(t, cfg)
	if h := r.History; r.Outages.N == 0 || r.Broken(campaign.RuleHistory) == 0 || h.Breaches == 0 || h.Linearizable {
		t.Errorf("%d ends of the server, %d breaches, linearizable: %v", r.Outages.N, h.Breaches, h.Linearizable)
	}
}
