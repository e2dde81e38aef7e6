package campaign_test

import (
	"encoding/json"
	"flag"
	"os"
	"testing"
	"time"

	"github.com/twicehq/twice/proof/campaign"
)

var (
	kills  = flag.Int("kills", 0, "in TestKillWorkers and TestKillWorkersRedis; 0: a number for CI")
	report = flag.String("report", "", "a file to which each campaign's report is appended, as a line of JSON")
)

// or gives n, or what is for CI.
func or(n, ci int) int {
	if n == 0 {
		return ci / slower
	}
	return n
}

// run runs a campaign and prints what it saw.
func run(t *testing.T, cfg campaign.Config) campaign.Report {
	t.Helper()
	r, err := campaign.Run(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(r)
	if *report != "" {
		record(t, r)
	}
	return r
}

func record(t *testing.T, r campaign.Report) {
	t.Helper()
	file, err := os.OpenFile(*report, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := json.NewEncoder(file).Encode(r); err != nil {
		t.Error(err)
	}
}

// Campaign F2: worker processes killed with SIGKILL at drawn points of their jobs. The crash cap is beyond
// what the kills can do: no job is ever a suspect.
//
//	go test ./proof/campaign -run TestKillWorkers$ -v -kills 100 -jobs 20000
func TestKillWorkers(t *testing.T) {
	r := run(t, world(t, campaign.Config{Attack: campaign.KillWorkers, Strikes: or(*kills, 20), Jobs: or(*jobs, 2000)}))
	if !r.OK() {
		t.Fail()
	}
}

// The same with a crash cap of 2, so that each crash makes a suspect, run in a process of its own: innocents that were
// beside a kill are run alone, and none is buried.
func TestKillWorkersLone(t *testing.T) {
	r := run(t, world(t, campaign.Config{Attack: campaign.KillWorkers, Strikes: max(or(*kills, 8), 6), Jobs: max(or(*jobs, 400), 200), Lease: 600 * time.Millisecond, Points: []campaign.Point{campaign.ChargeAsked, campaign.Suspect},
		MaxCrashes: 2, Lone: true}))
	if !r.OK() {
		t.Fail()
	}
	if r.Suspects == 0 {
		t.Error("no job became a suspect: nothing was shown")
	}
}

// Campaign F4 on an engine that lives in its callers' processes: those that enqueue and those that work are killed in turn. All
// that one was told is kept, and what it was not told of is a duplicate or accepted when it is sent again.
func TestKillProducers(t *testing.T) {
	t.Parallel()
	r := run(t, world(t, campaign.Config{Attack: campaign.Mixed(campaign.KillProducers, campaign.KillWorkers), Producers: 3, Strikes: max(or(*kills, 8), 4), Jobs: max(or(*jobs, 400), 200)}))
	if !r.OK() || r.Produced == 0 {
		t.Fail()
	}
}
