package explore_test

import (
	"testing"
	"time"

	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/proof/explore"
)

func newMemory(now func() time.Time) (explore.Engine, error) {
	return memory.New(memory.Config{Now: now, UniqueFor: time.Hour})
}

// bounds of the rows that are explored, each with a name.
var bounds = []struct {
	name string
	explore.Bounds
}{
	{"failures and crashes, redriven once", explore.Bounds{Tokens: 5, Redrives: 1, Failures: 2, Crashes: 2}},
	{"all counters", explore.Bounds{Tokens: 4, Failures: 2, Crashes: 2, Interruptions: 2, Snoozes: 2}},
	{"suspects run alone", explore.Bounds{Tokens: 5, Redrives: 1, Failures: 2, Crashes: 3, Lone: true}},
	{"pruned and enqueued anew", explore.Bounds{Tokens: 4, Prune: true, Failures: 2, Crashes: 2}},
}

var tried = map[explore.Bounds]explore.Report{}

// explored tries every action once for all tests.
func explored(t *testing.T, b explore.Bounds) explore.Report {
	t.Helper()
	report, ok := tried[b]
	if !ok {
		var err error
		if report, err = explore.Rows(newMemory, b); err != nil || report.Found != nil {
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
