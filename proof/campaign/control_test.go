package campaign_test

import (
	"testing"
	"time"

	"github.com/twicehq/twice/proof/campaign"
)

// Without the ledger a kill doubles effects of all sorts, and the checker must find them.
func TestControlLedgerOff(t *testing.T) {
	r := run(t, world(t, campaign.Config{Control: campaign.LedgerOff, Attack: campaign.KillWorkers, Strikes: 8, Jobs: or(0, 800)}))
	if r.StartedTwice == 0 || r.Broken(campaign.RuleTwice) == 0 {
		t.Error("effects without a record were not found to be made twice")
	}
}

// Without the fence a frozen worker that goes on commits a row beside that of its successor, and both are
// told that the job is done by them.
func TestControlFenceOff(t *testing.T) {
	t.Parallel()
	r := run(t, world(t, campaign.Config{Control: campaign.FenceOff, Attack: campaign.FreezeWorkers, Points: []campaign.Point{campaign.Looked}, Strikes: 6, Jobs: max(or(0, 400), 200), Lease: 600 * time.Millisecond}))
	if r.Overtaken == 0 || r.Broken(campaign.RuleTwice) == 0 {
		t.Error("rows that rest on the fence alone were not found to be made twice")
	}
}
