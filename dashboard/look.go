package dashboard

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/twicehq/twice/httpapi"
)

// mostQueues bounds what one look reads, by name; the API judges no more of them either, the busiest.
const mostQueues = 1000

// mostWorkers bounds the workers of one look.
const mostWorkers = 1000

// seen is every queue and worker at one moment, those first that need somebody, then the busiest.
type seen struct {
	at      time.Time
	queues  []sight
	more    bool // there are more queues than were read
	workers []httpapi.Worker
	trouble *trouble // why nothing is known of the queues
	unsaid  *trouble // why nothing is judged
	hands   *trouble // why no worker is known
}

// sight is one queue: its counts, and what is said of it.
type sight struct {
	httpapi.Queue
	counted bool // its counts were read; else only the verdict is known
	finding *finding
	slots   slots
}

// slots of the workers that serve a queue; one that serves several counts for each.
type slots struct{ Workers, Silent, All, Busy, Deaf, Here int }

// look reads queues, verdicts and workers side by side. can names the abilities that the engine has.
func (d *Dashboard) look(ctx context.Context, api *httpapi.Client, now time.Time, can map[string]bool) seen {
	s := seen{at: now}
	var queues []httpapi.Queue
	var said httpapi.Verdicts
	var all sync.WaitGroup
	var errs [3]error
	all.Go(func() { queues, s.more, errs[0] = some(ctx, mostQueues, api.Queues) })
	if can["verdicts"] {
		all.Go(func() { said.Verdicts, _, errs[1] = some(ctx, mostQueues, api.Verdicts) })
	}
	if can["presence"] {
		all.Go(func() { s.workers, _, errs[2] = some(ctx, mostWorkers, api.Workers) })
	}
	all.Wait()
	s.trouble, s.unsaid, s.hands = asTrouble(errs[0]), asTrouble(errs[1]), asTrouble(errs[2])
	s.queues = together(queues, findings(said, now, d.cfg), s.workers)
	return s
}

// together puts counts, verdicts and slots of each queue beside each other, in the order in which they are shown.
func together(queues []httpapi.Queue, said []finding, workers []httpapi.Worker) []sight {
	all := make([]sight, 0, len(queues))
	at := map[string]int{}
	for _, q := range queues {
		at[q.Queue] = len(all)
		all = append(all, sight{Queue: q, counted: true})
	}
	for i := range said {
		f := &said[i]
		n, known := at[f.Queue]
		if !known {
			if f.Queue == "" { // of the engine as a whole: shown by its trouble
				continue
			}
			n = len(all)
			at[f.Queue] = n
			all = append(all, sight{Queue: httpapi.Queue{Queue: f.Queue}})
		}
		all[n].finding = f
	}
	for _, w := range workers {
		here := map[string]int{}
		for _, p := range w.Running {
			here[p.Queue]++
		}
		for _, name := range w.Queues {
			if n, known := at[name]; known {
				all[n].slots.add(w, here[name])
			}
		}
	}
	slices.SortStableFunc(all, inOrder)
	return all
}

func (s *slots) add(w httpapi.Worker, here int) {
	if w.Silent {
		s.Silent++
		return
	}
	s.Workers++
	s.All += max(0, w.Slots)
	s.Busy += max(0, w.Busy)
	s.Deaf += max(0, w.Deaf)
	s.Here += here
}

// inOrder puts those first that need somebody, the most urgent of them first; then the busiest; then by name.
func inOrder(a, b sight) int {
	rank := func(s sight) int {
		switch {
		case s.finding != nil && !s.finding.Well:
			return urgency(s.finding.Verdict)
		case s.finding == nil && s.Paused:
			return urgency("paused")
		}
		if s.finding != nil && s.finding.Verdict == "idle" {
			return len(verdicts) + 2
		}
		return len(verdicts) + 1
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(b.due(), a.due()), cmp.Compare(b.Running, a.Running), cmp.Compare(b.Accepted, a.Accepted), cmp.Compare(a.Queue.Queue, b.Queue.Queue))
}

// due is how many jobs are due, as the verdict has it where they were not counted.
func (s sight) due() int {
	if !s.counted && s.finding != nil {
		return int(s.finding.Backlog)
	}
	return s.Ready.N
}

// missing reports that an error says there is no such thing.
func missing(err error) bool {
	var t *trouble
	return errors.As(err, &t) && t.word == "not_found"
}
