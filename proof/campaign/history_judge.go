package campaign

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/twicehq/twice/proof/history"
	"github.com/twicehq/twice/queue"
)

// Bounds of judging: of the last looks, and of porcupine's work on one job.
const (
	lookPatience = time.Minute
	perJob       = 10 * time.Second
)

// judge looks a last time at all jobs that were accepted, so that none can be missing, and judges what was recorded. All
// processes have ended. Nil: nothing was recorded.
func (c *chronicle) judge(store *Store, accepted map[queue.ID]int) (*Recorded, []Breach) {
	if c == nil {
		return nil, nil
	}
	began := time.Now()
	v := verdict{}
	ctx, cancel := context.WithTimeout(context.Background(), lookPatience)
	defer cancel()
	if err := c.Look(ctx, store.Engine, slices.Collect(maps.Keys(accepted))...); err != nil {
		v.broken(RuleHistory, "no last look: %v", err)
	}
	if err := c.written(); err != nil {
		v.broken(RuleHistory, "it has gaps: %v", err)
	}
	ops, logs, cut, err := history.ReadFolder(c.Dir)
	if err != nil {
		v.broken(RuleHistory, "it cannot be read: %v", err)
	}
	report := history.Check(ops, history.Config{})
	for _, b := range report.Breaches {
		v.broken(RuleHistory, "%s", b)
	}
	if n := len(report.Undecided); n > 0 {
		v.broken(RuleHistory, "the histories of %d jobs have too many orders", n)
	}
	other := history.Linearizable(ops, history.Config{}, perJob)
	if !other.OK() {
		v.broken(RuleHistory, "%d jobs are not linearizable, and %d were not decided in time", len(other.Not), len(other.Undecided))
	}
	r := &Recorded{What: c.What, Processes: logs, Jobs: report.Jobs, Operations: report.Ops, Unknown: report.Unknown, Unheard: report.Unheard, Cut: cut,
		Replaced: report.Replaced, ToldLost: report.ToldLost, Breaches: len(report.Breaches), Linearizable: other.OK() && err == nil, Seconds: time.Since(began).Seconds()}
	var found []Breach
	for _, b := range v {
		found = append(found, *b)
	}
	return r, found
}
