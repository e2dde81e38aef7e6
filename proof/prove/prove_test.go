package prove_test

import (
	"os"
	"testing"
	"time"

	"github.com/twicehq/twice/proof/campaign"
	"github.com/twicehq/twice/proof/ground"
	"github.com/twicehq/twice/proof/prove"
)

// TestMain is also the program of every worker process.
func TestMain(m *testing.M) {
	campaign.Main(ground.Openers)
	os.Exit(m.Run())
}

func proved(t *testing.T, url string, only ...string) prove.Report {
	t.Helper()
	g, err := ground.On(url)
	if err != nil {
		t.Fatal(err)
	}
	report, err := prove.Run(t.Context(), prove.Config{Ground: g, Time: 60 * time.Second, Seed: 1, Only: only, Dir: "/tmp/w/pv",
		Tell: func(told prove.Told) {
			if told.Over {
				t.Logf("%s round %d: %s %s %v %v (%.1fs)", told.Part.ID, told.Round, told.So.Verdict, told.So.Why, told.So.Broken, told.So.Notes, told.So.Seconds)
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
	return report
}
