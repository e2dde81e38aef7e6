package main

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/twicehq/twice/bench/bullmq"
	"github.com/twicehq/twice/bench/suite"
	"github.com/twicehq/twice/internal/redistest"
)

// Every contestant of the redis set runs every scenario that it has, at tiny sizes.
func TestTheRedisSetRuns(t *testing.T) {
	redistest.Need(t)
	noNode := needModules(t)
	for _, g := range sets()[1].groups {
		t.Run(g.name, func(t *testing.T) {
			cfg := suite.Config{Dir: t.TempDir(), Runs: 1, Backlog: 200, Rest: 1000, Length: 20 * time.Millisecond, Cap: 10 * time.Second,
				Probe: time.Millisecond, Quiet: 100, Samples: 2, Log: t.Output()}
			scenarios := suite.InMemory()
			if g.name != "none" { // the others differ in the server's configuration alone
				scenarios = slices.DeleteFunc(scenarios, func(s suite.Scenario) bool { return s.Name != "drain_rest" })
			}
			contestants := slices.DeleteFunc(g.contestants, func(c suite.Contestant) bool { return noNode && c.Name == "bullmq" })
			for i := range contestants {
				contestants[i].Workers = []int{50}
			}
			out, err := suite.Run(t.Context(), cfg, scenarios, contestants)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range out {
				for _, r := range o.Results {
					check(t, o, r)
				}
			}
		})
	}
}

func check(t *testing.T, o suite.Outcome, r suite.Result) {
	name := r.Contestant.Name
	switch first := o.Scenario.Figures[0].Name; {
	case !r.Offered:
		none := o.Scenario.Limit == nil
		if name == "asynq" {
			none = o.Scenario.Name == "bulk" || o.Scenario.Name == "bulk_rest"
		}
		if !none || name == "twice" || name == "bullmq" {
			t.Errorf("%s: %s offers nothing", o.Scenario.Name, name)
		}
	case r.Err != nil:
		t.Errorf("%s: %s: %v", o.Scenario.Name, name, r.Err)
	case o.Scenario.Name == "pickup": // it may be below zero
	case suite.Median(r.Samples, first) <= 0:
		t.Errorf("%s: %s gave nothing", o.Scenario.Name, name)
	}
}

// needModules says whether BullMQ is left out, loudly, where Node or its modules are not to be had.
func needModules(t *testing.T) bool {
	_, err := bullmq.Install(t.Context())
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatal(err)
	}
	if err != nil {
		t.Log("SKIPPED, BULLMQ IS NOT TESTED:", err)
	}
	return err != nil
}
