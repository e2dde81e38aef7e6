package history_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/twicehq/twice/internal/redistest"
	"github.com/twicehq/twice/proof/campaign"
	"github.com/twicehq/twice/proof/ground"
	"github.com/twicehq/twice/proof/history"
)

// TestMain is also the program of every worker process.
func TestMain(m *testing.M) {
	campaign.Main(ground.Openers)
	os.Exit(history.Main(m))
}

// scene is a campaign whose history is recorded.
type scene struct {
	name    string
	redis   bool
	forgets bool // the server keeps nothing on the disk
	cfg     campaign.Config
	attack  func(*testing.T, *campaign.Config, *redistest.Server) // what needs the server
	broken  bool                                                  // its history must be refused
}

var scenes = []scene{
	{name: "sqlite: kill -9 of workers, amid their calls", cfg: killed},
	{name: "sqlite: kill -9 of producers and workers", cfg: produced},
	{name: "sqlite: workers frozen past two leases, and killed", cfg: frozen},
	{name: "sqlite: kill -9 of workers, suspects in processes of their own", cfg: lone},
	{name: "redis: kill -9 of workers, amid their calls", redis: true, cfg: killed},
	{name: "redis: kill -9 of producers and workers", redis: true, cfg: produced},
	{name: "redis: workers frozen past two leases, and killed", redis: true, cfg: frozen},
	{name: "redis: kill -9 of workers, suspects in processes of their own", redis: true, cfg: lone},
	{name: "redis: kill -9 of the server and of workers", redis: true, cfg: campaign.Config{Strikes: 20, Jobs: 2000},
		attack: func(_ *testing.T, cfg *campaign.Config, s *redistest.Server) {
			cfg.Attack = campaign.Mixed(campaign.KillServer(s.Server, 0), campaign.KillInCall)
		}},
	{name: "redis: the server away for longer than a lease", redis: true, cfg: campaign.Config{Strikes: 2, Jobs: 200, Lease: 2 * time.Second},
		attack: func(_ *testing.T, cfg *campaign.Config, s *redistest.Server) {
			cfg.Attack = campaign.KillServer(s.Server, 3*time.Second)
		}},
	{name: "redis: replies lost", redis: true, cfg: campaign.Config{Strikes: 30, Jobs: 2000},
		attack: cut},
	{name: "control, a server that keeps nothing on the disk, and is killed", redis: true, forgets: true, broken: true, cfg: campaign.Config{Strikes: 3, Jobs: 400},
		attack: func(_ *testing.T, cfg *campaign.Config, s *redistest.Server) {
			cfg.Attack = campaign.KillServer(s.Server, 0)
		}},
	{name: "control, fence off: what the engine answered beneath", cfg: unfenced},
	{name: "control, fence off: what the workers were told", cfg: told, broken: true},
}

var (
	killed   = campaign.Config{Attack: campaign.Mixed(campaign.KillInCall, campaign.KillInCall, campaign.KillWorkers), Strikes: 30, Jobs: 3000}
	produced = campaign.Config{Attack: campaign.Mixed(campaign.KillProducers, campaign.KillInCall), Producers: 3, Strikes: 20, Jobs: 1000}
	frozen   = campaign.Config{Attack: campaign.Mixed(campaign.KillInCall, campaign.FreezeWorkers), Strikes: 12, Jobs: 1000, Lease: 500 * time.Millisecond}
	lone     = campaign.Config{Attack: campaign.KillWorkers, Points: []campaign.Point{campaign.ChargeAsked, campaign.Suspect}, Strikes: 12, Jobs: 800, MaxCrashes: 2, Lone: true, Lease: 600 * time.Millisecond}
	unfenced = campaign.Config{Attack: campaign.FreezeWorkers, Control: campaign.FenceOff, Points: []campaign.Point{campaign.Looked}, Strikes: 4, Jobs: 300, Lease: 500 * time.Millisecond}
	told     = func() campaign.Config { c := unfenced; c.History = campaign.HistoryOfWorkers; return c }()
)

// cut loses replies on the way to the server, the campaign's own and the workers'.
func cut(t *testing.T, cfg *campaign.Config, s *redistest.Server) {
	workers, own := redistest.Proxy(t, s.Addr()), redistest.Proxy(t, s.Addr())
	cfg.URL = workers.URL()
	cfg.Openers = map[string]campaign.Opener{"redis": func(ctx context.Context, _ string) (*campaign.Store, error) {
		return ground.Openers["redis"](ctx, own.URL())
	}}
	cfg.Attack = campaign.LoseReplies("EVAL", workers, own)
}

// The calls of all processes of larger campaigns, for the evidence; the tests of proof/campaign check smaller ones.
func TestCampaigns(t *testing.T) {
	if !*history.Recording {
		t.Skip("only with -record")
	}
	history.Note("\nCampaigns: every process writes each call down before it makes it and after its answer, and all that is judged together.")
	for _, s := range scenes {
		t.Run(s.name, func(t *testing.T) {
			cfg := s.cfg
			cfg.Name, cfg.Dir, cfg.Openers, cfg.Seed = s.name, t.TempDir(), ground.Openers, uint64(time.Now().UnixNano())%1e9
			cfg.URL = "sqlite:" + filepath.Join(cfg.Dir, "campaign.db")
			if cfg.History == "" {
				cfg.History = campaign.HistoryOfEngine
			}
			var server *redistest.Server
			if s.redis {
				o := redistest.Options{Persistence: redistest.Always}
				if s.forgets {
					o = redistest.Options{}
				}
				server = redistest.Start(t, o)
				cfg.URL = server.URL()
			}
			if s.attack != nil {
				s.attack(t, &cfg, server)
			}
			r, err := campaign.Run(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			if !r.OK() && cfg.Control == "" && !s.broken || s.broken == (r.Broken(campaign.RuleHistory) == 0) {
				t.Fatal(r)
			}
			t.Log(r)
			history.Note(fmt.Sprintf("%-62s %s", s.name, r.History))
		})
	}
}
