package suite

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/twicehq/twice/bench/rawsql"
)

func small(t *testing.T) Config {
	return Config{Dir: t.TempDir(), Runs: 2, Backlog: 200, Rest: 1000, Length: 20 * time.Millisecond, Cap: time.Second,
		Probe: 5 * time.Millisecond, Quiet: 100, Samples: 2, Log: t.Output()}
}

func TestTheLimitsRunEveryScenarioTheyHave(t *testing.T) {
	cfg := small(t)
	if err := cfg.Check(); err != nil {
		t.Fatal(err)
	}
	out, err := Run(t.Context(), cfg, Scenarios(), []Contestant{SQL(rawsql.Plain), SQL(rawsql.Merged)})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range out {
		for _, r := range o.Results {
			switch {
			case !r.Offered:
				if o.Scenario.Limit != nil {
					t.Errorf("%s: %s offers nothing", o.Scenario.Name, r.Contestant.Name)
				}
			case r.Err != nil:
				t.Errorf("%s: %s: %v", o.Scenario.Name, r.Contestant.Name, r.Err)
			case Median(r.Samples, o.Scenario.Figures[0].Name) <= 0:
				t.Errorf("%s: %s gave nothing", o.Scenario.Name, r.Contestant.Name)
			}
		}
	}
	left, err := os.ReadDir(cfg.Dir)
	if err != nil || len(left) != 1 {
		t.Errorf("copies are left behind: %v, %v", left, err)
	}
}

func TestAnInterruptEndsTheRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Run(ctx, small(t), Scenarios(), []Contestant{SQL(rawsql.Plain)})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestAStuckContestantIsNamed(t *testing.T) {
	err := bounded(time.Millisecond, t.Output(), func() error { select {} })
	if !errors.As(err, new(stuck)) {
		t.Error(err)
	}
}
