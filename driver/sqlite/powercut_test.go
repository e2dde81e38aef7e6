package sqlite_test

import (
	"flag"
	"testing"

	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/driver/sqlite/diskproof"
)

var cutsFlag = flag.Int("cuts", sqlite.Part(200, 60), "power cuts")

func TestPowerCut(t *testing.T) {
	t.Parallel()
	const lives, ages = 10, 2
	cut, err := diskproof.PowerCuts{Dir: t.TempDir(), Seed: *sqlite.Seed, Lives: lives, Ages: ages, Cuts: max(1, *cutsFlag/lives/ages)}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("seed %d: %d power cuts, %d jobs and %d facts told of before them, %d lost", *sqlite.Seed, cut.Cuts, cut.Known, cut.Facts, cut.Lost)
	for _, b := range cut.Broken {
		t.Error(b)
	}
	if cut.Lost > 0 {
		t.Errorf("%d acknowledged jobs, leases or ends were lost", cut.Lost)
	}
}

// The control: what is not synced at each commit is lost, and this campaign sees it.
func TestPowerCutControl(t *testing.T) {
	t.Parallel()
	cut, err := diskproof.PowerCuts{Dir: t.TempDir(), Seed: *sqlite.Seed, Lives: 1, Ages: 1, Cuts: sqlite.Part(20, 5), Relaxed: true}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("synchronous=NORMAL: %d power cuts, %d lost", cut.Cuts, cut.Lost)
	for _, b := range cut.Broken {
		t.Error(b)
	}
	if cut.Lost == 0 {
		t.Error("nothing was lost, so the campaign could not see a loss")
	}
}
