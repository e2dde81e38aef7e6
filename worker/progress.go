package worker

import (
	"slices"

	"github.com/twicehq/twice/queue"
)

// progress tells of the attempts in their handlers, those that run longest first, at most maxProgress.
func (r *runner) progress() []queue.Progress {
	r.mu.Lock()
	all := make([]*attempt, 0, len(r.held))
	for a := range r.held {
		if a.phase.Load() == running {
			all = append(all, a)
		}
	}
	r.mu.Unlock()
	slices.SortFunc(all, func(a, b *attempt) int { return a.since.Compare(b.since) })
	told := make([]queue.Progress, min(len(all), maxProgress))
	for i := range told {
		l := all[i].lease()
		told[i] = queue.Progress{Job: l.Job.ID, Queue: l.Job.Queue, Kind: l.Job.Kind, Attempt: l.Token, Since: all[i].since}
		told[i].Done, told[i].Total, told[i].Moved = all[i].moved.Read()
	}
	return told
}
