package explore_test

import (
	"testing"

	"github.com/twicehq/twice/proof/explore"
	"github.com/twicehq/twice/proof/explore/lives"
)

// bounds of the rows that are explored, each with a name.
var bounds = []struct {
	name string
	explore.Bounds
}{
	{"failures and crashes, redriven once", explore.Bounds{Tokens: 5, Redrives: 1, Failures: 2, Crashes: 2}},
	{"all counters", explore.Bounds{Tokens: 4, Failures: 2, Crashes: 2, Interruptions: 2, Snoozes: 2}},
	{"suspects run alone", explore.Bounds{Tokens: 5, Redrives: 1, Failures: 2, Crashes: 3, Lone: true}},
	{"pruned and enqueued anew", explore.Bounds{Tokens: 4, Prune: true, Failures: 2, Crashes: 2}},
	{"time: marked and reaped", explore.Bounds{Tokens: 2, Failures: 2, Crashes: 2, Redrives: 1, Prune: true, Instants: 3, Horizon: 1}},
	{"time: two instants' horizon", explore.Bounds{Tokens: 2, Failures: 1, Crashes: 2, Instants: 4, Horizon: 2}},
}

var tried = map[explore.Bounds]explore.Report{}

// explored tries every action once for all tests.
func explored(t *testing.T, b explore.Bounds) explore.Report {
	t.Helper()
	report, ok := tried[b]
	if !ok {
		var err error
		if report, err = explore.Rows(lives.Memory(b), b); err != nil || report.Found != nil {
			t.Fatalf("%v\n%s", err, report.Found)
		}
		tried[b] = report
	}
	return report
}

// On every row within bounds the memory engine does what the protocol says, and it reaches as many rows.
func TestMemoryKeepsTheProtocol(t *testing.T) {
	for _, b := range bounds {
		t.Run(b.name, func(t *testing.T) {
			report := explored(t, b.Bounds)
			if want := explore.Protocol(b.Bounds); report.Rows != want {
				t.Errorf("%d rows, the protocol allows %d", report.Rows, want)
			}
			t.Logf("%d rows, %d steps", report.Rows, report.Steps)
		})
	}
}
