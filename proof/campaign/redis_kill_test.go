package campaign_test

import (
	"context"
	"flag"
	"testing"
	"time"

	"github.com/twicehq/twice/internal/redistest"
	"github.com/twicehq/twice/proof/campaign"
	"github.com/twicehq/twice/proof/ground"
)

var (
	servers = flag.Int("servers", 0, "kills of the server in TestKillServerRedis, and half of the strikes in TestKillServerAndWorkersRedis; 0: a number for CI")
	cuts    = flag.Int("cuts", 0, "in TestLoseRepliesRedis; 0: a number for CI")
)

// felt is the longest time in which workers may go on after the server they work on was killed, in seconds.
const felt = 15

// Campaign F2 on Redis: worker processes killed with SIGKILL.
//
//	go test ./proof/campaign -run TestKillWorkersRedis$ -v -kills 100 -jobs 20000
func TestKillWorkersRedis(t *testing.T) {
	cfg, _ := redisWorld(t, campaign.Config{Attack: campaign.KillWorkers, Strikes: max(or(*kills, 12), 5), Jobs: or(*jobs, 1200)})
	if r := run(t, cfg); !r.OK() {
		t.Fail()
	}
}

// The crash cap is 2 and suspects run in processes of their own: no innocent is buried.
func TestKillWorkersLoneRedis(t *testing.T) {
	t.Parallel()
	cfg, _ := redisWorld(t, campaign.Config{Attack: campaign.KillWorkers, Strikes: max(or(0, 6), 4), Jobs: max(or(0, 300), 160), Lease: 600 * time.Millisecond,
		Points: []campaign.Point{campaign.ChargeAsked, campaign.Suspect}, MaxCrashes: 2, Lone: true})
	r := run(t, cfg)
	if !r.OK() {
		t.Fail()
	}
	if r.Suspects == 0 {
		t.Error("no job became a suspect: nothing was shown")
	}
}

// Campaign F4: the server is killed with SIGKILL among requests that it has just answered, and started again. Nothing
// that was accepted is lost, nothing is made twice, and all workers go on by themselves.
//
//	go test ./proof/campaign -run TestKillServerRedis$ -v -servers 20 -jobs 20000
func TestKillServerRedis(t *testing.T) {
	cfg, s := redisWorld(t, campaign.Config{Strikes: max(or(*servers, 3), 3), Jobs: or(*jobs, 600)})
	cfg.Attack = campaign.KillServer(s.Server, 0)
	survived(t, run(t, cfg), cfg.Strikes)
}

// The same with kills of workers in between.
//
//	go test ./proof/campaign -run TestKillServerAndWorkersRedis$ -v -servers 20 -jobs 20000
func TestKillServerAndWorkersRedis(t *testing.T) {
	kills := max(or(*servers, 3), 2)
	cfg, s := redisWorld(t, campaign.Config{Strikes: 2 * kills, Jobs: max(or(*jobs, 600), 200)})
	cfg.Attack = campaign.Mixed(campaign.KillServer(s.Server, 0), campaign.KillWorkers)
	survived(t, run(t, cfg), kills)
}

// The server stays away for longer than a lease. That is nobody's crash: though each crash would make a suspect, there
// is none, and the workers go on by themselves. The lease is longer than their pauses between calls that fail.
func TestServerAwayRedis(t *testing.T) {
	t.Parallel()
	cfg, s := redisWorld(t, campaign.Config{Strikes: 1, Jobs: 150, Lease: 4 * time.Second, MaxCrashes: 2, Lone: true, Points: []campaign.Point{campaign.ChargeMade}})
	cfg.Attack = campaign.KillServer(s.Server, 5*time.Second)
	r := run(t, cfg)
	survived(t, r, cfg.Strikes)
	if r.Suspects > 0 {
		t.Errorf("%d jobs were taken to have crashed", r.Suspects)
	}
}

func survived(t *testing.T, r campaign.Report, kills int) {
	t.Helper()
	if !r.OK() {
		t.Fail()
	}
	if r.Outages.N != kills || r.Unanswered == 0 {
		t.Errorf("%d ends of the server, %d requests not answered: nothing was shown", r.Outages.N, r.Unanswered)
	}
	if r.Outages.Every > felt {
		t.Errorf("a worker went on %.1fs after the server", r.Outages.Every)
	}
}

// Campaign F7: connections are cut after the request and before its reply, those of the workers and those of the producer.
//
//	go test ./proof/campaign -run TestLoseRepliesRedis$ -v -cuts 200 -jobs 20000
func TestLoseRepliesRedis(t *testing.T) {
	cfg, s := redisWorld(t, campaign.Config{Strikes: max(or(*cuts, 12), 6), Jobs: max(or(*jobs, 600), 200)})
	workers, producer := redistest.Proxy(t, s.Addr()), redistest.Proxy(t, s.Addr())
	cfg.URL = workers.URL()
	cfg.Openers = map[string]campaign.Opener{"redis": func(ctx context.Context, _ string) (*campaign.Store, error) {
		return ground.Openers["redis"](ctx, producer.URL())
	}}
	cfg.Attack = campaign.LoseReplies("EVAL", workers, producer)
	r := run(t, cfg)
	if !r.OK() {
		t.Fail()
	}
	t.Logf("%d connections of workers were cut before a reply, and %d of the producer", workers.Hits(), producer.Hits())
	if r.Unanswered < cfg.Strikes || workers.Hits() < cfg.Strikes {
		t.Error("nothing was shown")
	}
}

// Campaign F3 on Redis: worker processes stopped past two leases.
//
//	go test ./proof/campaign -run TestFreezeWorkersRedis$ -v -freezes 50 -jobs 5000
func TestFreezeWorkersRedis(t *testing.T) {
	t.Parallel()
	cfg, _ := redisWorld(t, campaign.Config{})
	frozen(t, cfg)
}

// The same with a ledger that is not told who holds a job: it keeps each effect single by its key.
func TestFreezeWorkersLedgerBesideRedis(t *testing.T) {
	t.Parallel()
	cfg, _ := redisWorld(t, campaign.Config{})
	cfg.URL = "beside:" + cfg.URL
	frozen(t, cfg)
}

func frozen(t *testing.T, cfg campaign.Config) {
	t.Helper()
	cfg.Attack, cfg.Strikes, cfg.Jobs, cfg.Lease = campaign.FreezeWorkers, max(or(*freezes, 4), 3), max(or(*jobs, 400), 160), 600*time.Millisecond
	r := run(t, cfg)
	if !r.OK() {
		t.Fail()
	}
	if r.Overtaken == 0 {
		t.Error("no frozen worker's job went on elsewhere: nothing was shown")
	}
}
