package explore_test

import (
	"strings"
	"testing"

	"github.com/twicehq/twice/proof/explore"
	"github.com/twicehq/twice/proof/explore/lives"
)

// omissions are lives in which a step of the protocol is left out, or a limit of it is overstepped. The stores do as
// they should, so it is an invariant that breaks.
var omissions = []struct {
	breaks string
	explore.Life
}{
	{"I4", explore.Life{Name: string(explore.SealBeforeDeath), Without: explore.SealBeforeDeath, Apart: true, Faults: 1, Failures: 1, Crashes: 2}},
	{"I4", explore.Life{Name: string(explore.SealAtLastTry), Without: explore.SealAtLastTry, Apart: true, Faults: 1, Failures: 1, Crashes: 2}},
	{"I4", explore.Life{Name: string(explore.SealAtCancel), Without: explore.SealAtCancel, Apart: true, Failures: 1, Crashes: 2, Cancels: 1}},
	{"I4", explore.Life{Name: string(explore.TokenAtCancel), Without: explore.TokenAtCancel, Apart: true, Failures: 2, Crashes: 2, Cancels: 1}},
	{"I1", explore.Life{Name: string(explore.MarkInEffect), Without: explore.MarkInEffect, Apart: true, Faults: 1, Failures: 1, Crashes: 2, Instants: 3, Horizon: 1}},
	{"worker A is refused", explore.Life{Name: string(explore.FreshAtClaim), Without: explore.FreshAtClaim, Apart: true, Failures: 1, Crashes: 2, Instants: 3, Horizon: 1}},
	{"I1", explore.Life{Name: "a limit: a request without origin comes again after all is forgotten", Apart: true, Failures: 1, Crashes: 2, Instants: 3, Horizon: 1, AgainUnsaid: true}},
	{"I1", explore.Life{Name: "a limit: the engine forgets an id before the ledger does, and a second request was told \"duplicate\"", Apart: true, Failures: 1, Crashes: 2,
		Instants: 3, Horizon: 1, AgainNewer: true, Prune: true}},
}

// What is left out is missed, with a shortest trace.
func TestOmissionsAreFound(t *testing.T) {
	for _, o := range omissions {
		t.Run(o.Name, func(t *testing.T) {
			c, err := lives.Count(o.Life)
			switch {
			case err == nil:
				t.Fatalf("nothing is wrong in %d states", c.States)
			case !strings.Contains(err.Error(), "=> "+o.breaks):
				t.Errorf("another thing breaks than %s", o.breaks)
			}
			t.Logf("\n%v", err)
		})
	}
}
