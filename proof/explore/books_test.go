package explore_test

import (
	"testing"

	"github.com/twicehq/twice/proof/explore"
	"github.com/twicehq/twice/proof/explore/lives"
)

// books are the bounds of what is tried on ledgers, each with a name.
var books = []struct {
	name string
	explore.Bounds
}{
	{"three tokens", explore.Bounds{Tokens: 3}},
	{"time: two tokens, three instants", explore.Bounds{Tokens: 2, Instants: 3, Horizon: 1}},
	{"time: two instants' horizon", explore.Bounds{Tokens: 1, Instants: 4, Horizon: 2}},
}

var heldBooks = map[explore.Bounds]explore.Report{}

// held tries every action on a ledger once for all tests.
func held(t *testing.T, b explore.Bounds) explore.Report {
	t.Helper()
	report, ok := heldBooks[b]
	if !ok {
		var err error
		if report, err = explore.Books(lives.Ledger(b), b); err != nil || report.Found != nil {
			t.Fatalf("%v\n%s", err, report.Found)
		}
		heldBooks[b] = report
	}
	return report
}

// On every state within bounds the memory ledger does what the protocol says, and it reaches as many.
func TestMemoryLedgerKeepsTheProtocol(t *testing.T) {
	for _, b := range books {
		t.Run(b.name, func(t *testing.T) {
			report := held(t, b.Bounds)
			if want := explore.ProtocolOfBooks(b.Bounds); report.Rows != want {
				t.Errorf("%d rows, the protocol allows %d", report.Rows, want)
			}
			t.Logf("%d rows, %d steps", report.Rows, report.Steps)
		})
	}
}
