package campaign_test

import (
	"flag"
	"testing"
	"time"

	"github.com/twicehq/twice/proof/campaign"
)

var freezes = flag.Int("freezes", 0, "in TestFreezeWorkers; 0: a number for CI")

// Campaign F3: worker processes stopped with SIGSTOP past two leases, then continued.
//
//	go test ./proof/campaign -run TestFreezeWorkers$ -v -freezes 50 -jobs 5000
func TestFreezeWorkers(t *testing.T) {
	t.Parallel()
	r := run(t, world(t, campaign.Config{Attack: campaign.FreezeWorkers, Strikes: max(or(*freezes, 6), 6), Jobs: max(or(*jobs, 600), 200), Lease: 600 * time.Millisecond}))
	if !r.OK() {
		t.Fail()
	}
	if r.Overtaken == 0 {
		t.Error("no frozen worker's job went on elsewhere: nothing was shown")
	}
}
