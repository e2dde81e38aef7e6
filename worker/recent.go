package worker

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/queue"
)

// recorder counts what becomes of attempts, by queue and kind, to be announced: a diagnosis in another process sees the
// worker through it. It is told of every event, so an attempt that is done costs two look-ups and no memory.
type recorder struct {
	home map[string]*tally // by kind, of the queue that the kind is fixed to; not changed once made

	mu      sync.Mutex
	strays  map[place]*tally // jobs of a handled kind that somebody put into another queue
	dropped map[place]bool   // more of these than there is room for; bounded, too
}

type place struct{ queue, kind string }

func newRecorder(handled []twice.Rules) *recorder {
	r := &recorder{home: map[string]*tally{}, strays: map[place]*tally{}, dropped: map[place]bool{}}
	for _, rules := range handled {
		r.home[rules.Kind] = newTally(rules.Queue, rules.Kind)
	}
	return r
}

// of gives the tally of a job's place; nil: there is no room for it.
func (r *recorder) of(job *queue.Job) *tally {
	if t := r.home[job.Kind]; t != nil && t.told.Queue == job.Queue {
		return t
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	where := place{job.Queue, job.Kind}
	t := r.strays[where]
	switch {
	case t != nil:
	case len(r.strays) < queue.MaxRecent:
		t = newTally(job.Queue, job.Kind)
		r.strays[where] = t
	case len(r.dropped) < queue.MaxRecent:
		r.dropped[where] = true
	}
	return t
}

func (r *recorder) observe(e *Event) {
	switch e.What {
	case Started, Ended, Deaf, LeaseLost, LoneEnded:
	default:
		return
	}
	if e.Lease == nil {
		return
	}
	if t := r.of(&e.Lease.Job); t != nil {
		t.observe(e)
	}
}

// recent gives the places where anything happened, by name, and how many more there are. Where there are too many, the
// busiest are told.
func (r *recorder) recent(now time.Time) (told []queue.Recent, unlisted int) {
	r.mu.Lock()
	unlisted = len(r.dropped)
	all := make([]*tally, 0, len(r.home)+len(r.strays))
	for _, t := range r.strays {
		all = append(all, t)
	}
	r.mu.Unlock()
	for _, t := range r.home {
		all = append(all, t)
	}
	for _, t := range all {
		if one := t.recent(now); one.Begun+one.Ended()+one.Lost+one.Crashed > 0 {
			told = append(told, one)
		}
	}
	if over := len(told) - queue.MaxRecent; over > 0 {
		slices.SortFunc(told, func(a, b queue.Recent) int { return int(min(1, max(-1, b.Begun-a.Begun))) })
		told, unlisted = told[:queue.MaxRecent], unlisted+over
	}
	slices.SortFunc(told, func(a, b queue.Recent) int {
		return strings.Compare(a.Queue+" "+a.Kind, b.Queue+" "+b.Kind)
	})
	return told, unlisted
}

// tally counts the attempts of one place.
type tally struct {
	begun atomic.Int64

	mu       sync.Mutex
	told     queue.Recent // Queue and Kind are not changed once made
	took     [digest]time.Duration
	failures failures
}

// digest is how many of the latest attempts that were done make the usual run time.
const digest = 256

func newTally(name, kind string) *tally {
	return &tally{told: queue.Recent{Queue: name, Kind: kind}}
}
