package diagnose

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/twicehq/twice/queue"
)

// How much of late queues is looked at: so many queues a sample, pages of each, and jobs a page.
const (
	maxLooks  = 20
	lookPages = 5
	lookPage  = 200
	maxKinds  = 50
)

// look finds which kinds are due in the queues that are latest. Counts do not tell it, so jobs are read: the newest ones,
// and where the oldest job has not moved since the sample before, which may be since nobody takes its kind, more of them.
func (w *Watch) look(ctx context.Context, inspector queue.Inspector, depths []queue.Depth) []Due {
	var late []queue.Depth
	for _, d := range depths {
		if !d.Paused && d.Ready.N > 0 && !d.OldestDue.IsZero() && d.AsOf.Sub(d.OldestDue) > w.cfg.Rules.Grace/2 {
			late = append(late, d)
		}
	}
	slices.SortStableFunc(late, func(a, b queue.Depth) int { return a.OldestDue.Compare(b.OldestDue) })
	var all []Due
	for _, d := range late[:min(len(late), maxLooks)] {
		pages := 1
		if w.head(d.Queue).Equal(d.OldestDue) {
			pages = lookPages
		}
		all = append(all, lookInto(ctx, inspector, d, pages)...)
	}
	return all
}

// head is since when the oldest job of a queue had been due at the sample before.
func (w *Watch) head(name string) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.samples) == 0 {
		return time.Time{}
	}
	for _, d := range w.samples[len(w.samples)-1].Queues {
		if d.Queue == name {
			return d.OldestDue
		}
	}
	return time.Time{}
}

func lookInto(ctx context.Context, inspector queue.Inspector, d queue.Depth, pages int) []Due {
	kinds := map[string]*Due{}
	q := queue.Query{Queue: d.Queue, State: queue.Queued, Limit: lookPage}
	for range pages {
		page, err := inspector.List(ctx, q)
		if err != nil {
			break // what was seen counts
		}
		for _, r := range page.Records {
			if r.Lone || r.RunAt.After(d.AsOf) {
				continue
			}
			one := kinds[r.Job.Kind]
			if one == nil {
				if len(kinds) == maxKinds {
					continue
				}
				one = &Due{Queue: d.Queue, Kind: r.Job.Kind, Oldest: r.RunAt}
				kinds[r.Job.Kind] = one
			}
			one.N++
			if r.RunAt.Before(one.Oldest) {
				one.Oldest = r.RunAt
			}
			if len(one.Jobs) < MaxNamed {
				one.Jobs = append(one.Jobs, r.Job.ID)
			}
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			break
		}
	}
	all := make([]Due, 0, len(kinds))
	for _, one := range kinds {
		all = append(all, *one)
	}
	slices.SortFunc(all, func(a, b Due) int { return strings.Compare(a.Kind, b.Kind) })
	return all
}
