// Package suite runs scenarios on contestants, interleaved, so that a drift of the machine hits all of
// them alike, and beside a probe of the disk.
package suite

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/twicehq/twice/internal/loadtest"
)

// Config bounds a run in count and in time.
type Config struct {
	Dir      string        // where the stores are made
	Runs     int           // runs kept for each figure
	Extra    int           // further rounds allowed when others disturbed some
	Backlog  int           // jobs waiting when a drain begins
	Rest     int           // jobs at rest in the scenarios that have them
	Length   time.Duration // of an enqueue run
	Cap      time.Duration // longest time that a drain is timed
	Probe    time.Duration // length of a probe of the disk
	Gate     time.Duration // longest wait for a quiet machine before a run
	Quiet    float64       // foreign cores from which a run counts as disturbed
	Samples  int           // pick-ups in a run
	Profiles string        // directory for CPU profiles of the first round, "" for none
	Log      io.Writer     // progress
}

// Check names everything that is wrong.
func (c Config) Check() error {
	var wrong []error
	for _, x := range []struct {
		name string
		n    int64
		min  int64
	}{
		{"runs", int64(c.Runs), 1}, {"extra", int64(c.Extra), 0}, {"n", int64(c.Backlog), 100},
		{"rest", int64(c.Rest), 1000}, {"dur", int64(c.Length), 1}, {"cap", int64(c.Cap), 1},
		{"probe", int64(c.Probe), 1}, {"gate", int64(c.Gate), 0}, {"samples", int64(c.Samples), 1},
	} {
		if x.n < x.min {
			wrong = append(wrong, fmt.Errorf("-%s is %d, the least is %d", x.name, x.n, x.min))
		}
	}
	return errors.Join(wrong...)
}

func (c Config) env(workers int, ids *atomic.Int64) loadtest.Env {
	return loadtest.Env{Workers: workers, Backlog: c.Backlog, Samples: c.Samples, Length: c.Length, Cap: c.Cap, IDs: ids, Log: c.Log}
}

const (
	fillLimit  = 20 * time.Minute // longest filling of one store
	runLimit   = 3 * time.Minute  // longest run
	stuckAfter = 3 * time.Minute  // longest time to copy, open and close the store of a run
)
