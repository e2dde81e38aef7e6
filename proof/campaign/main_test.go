package campaign_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/twicehq/twice/proof/campaign"
	"github.com/twicehq/twice/proof/ground"
)

// TestMain is also the program of every worker process.
func TestMain(m *testing.M) {
	campaign.Main(ground.Openers)
	os.Exit(m.Run())
}

var (
	seed = flag.Uint64("seed", 0, "of the campaigns; 0: a new one")
	jobs = flag.Int("jobs", 0, "in TestKillWorkers, TestFreezeWorkers and those on Redis; 0: a number for CI")
)

// sow gives the seed to use: a failure prints it, so that it can be given again.
func sow() uint64 {
	if *seed != 0 {
		return *seed
	}
	return uint64(time.Now().UnixNano()) % 1e9
}

// world is a campaign of the test's own file.
func world(t *testing.T, cfg campaign.Config) campaign.Config {
	t.Helper()
	dir := t.TempDir()
	cfg.Name, cfg.Dir, cfg.URL, cfg.Openers = t.Name(), dir, "sqlite:"+filepath.Join(dir, "campaign.db"), ground.Openers
	if cfg.Seed == 0 {
		cfg.Seed = sow()
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = patience()
	}
	t.Cleanup(func() {
		if log, err := os.ReadFile(filepath.Join(dir, "workers.log")); err == nil && t.Failed() {
			t.Logf("workers' log, its end:\n%s", log[max(0, len(log)-8000):])
		}
	})
	return cfg
}
