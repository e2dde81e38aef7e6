package memory

import (
	"time"

	"github.com/twicehq/twice/queue"
)

// line is a queue: its counts, its floor, and its jobs that are due, on a shelf for each kind and
// priority, so that a backlog of a kind that nobody asks for costs nothing.
type line struct {
	name     string
	paused   bool
	floor    int64 // of a new row's token: above every token that was pruned
	accepted int64
	pruned   int64
	tally    map[queue.State]int64
	ready    int // queued rows on the shelves
	expired  int // running rows on the shelves
	shelves  map[label]*shelf
	alone    map[*row]bool // running, and marked lone
}

// label says what is on a shelf: rows that differ only in how long they have been due.
type label struct {
	kind     string
	lone     bool
	expired  bool // running, and its lease ran out
	priority int
}

func (r *row) label() label {
	return label{r.job.Kind, r.lone, r.state == queue.Running, r.job.Priority}
}

func (e *Engine) line(name string) *line {
	l, ok := e.lines[name]
	if !ok {
		l = &line{name: name, tally: map[queue.State]int64{}, shelves: map[label]*shelf{}, alone: map[*row]bool{}}
		e.lines[name] = l
	}
	return l
}

// loneBusy reports whether a lone job of the queue is leased; a lease that ran out holds up nobody.
func (l *line) loneBusy(now time.Time) bool {
	for r := range l.alone {
		if r.at.After(now) {
			return true
		}
	}
	return false
}

// take lifts the row off its shelf, so that it may change.
func (e *Engine) take(r *row) {
	if r.on == nil {
		return
	}
	on := r.on
	on.remove(r)
	if on == e.later || on == e.ended {
		return
	}
	l := e.line(r.job.Queue)
	l.count(r, -1)
	if on.Len() == 0 {
		delete(l.shelves, r.label())
	}
	if r.offered != nil {
		delete(r.offered.offered, r)
		r.offered = nil
	}
}

// turn changes the state of a row that was taken.
func (e *Engine) turn(r *row, to queue.State) {
	l := e.line(r.job.Queue)
	l.tally[r.state]--
	l.tally[to]++
	r.state = to
	delete(l.alone, r)
	if to == queue.Running && r.lone {
		l.alone[r] = true
	}
}

// place puts a row where its state and the time say, and wakes whoever waits for it.
func (e *Engine) place(r *row, now time.Time) {
	switch {
	case r.state == queue.Dead: // at rest, for a person
	case r.state.Ended():
		e.ended.add(r)
	case r.at.After(now):
		e.later.add(r)
	default:
		l := e.line(r.job.Queue)
		where := r.label()
		if l.shelves[where] == nil {
			l.shelves[where] = &shelf{}
		}
		l.shelves[where].add(r)
		l.count(r, 1)
		e.offer(r)
	}
}

func (l *line) count(r *row, by int) {
	if r.state == queue.Running {
		l.expired += by
	} else {
		l.ready += by
	}
}

// oldestDue is since when the first ready job has been due; zero: none is.
func (l *line) oldestDue() (oldest time.Time) {
	for where, s := range l.shelves {
		if at := s.first().at; !where.expired && (oldest.IsZero() || at.Before(oldest)) {
			oldest = at
		}
	}
	return oldest
}

// seize gives the row to a claim.
func (e *Engine) seize(r *row, by queue.ClaimID) {
	r.claim, r.lease, r.nth = by, by.Lease(r.job.ID, r.token), len(e.claims[by])
	e.claims[by] = append(e.claims[by], r)
}

// release ends its holder's right to the row.
func (e *Engine) release(r *row) {
	held := e.claims[r.claim]
	last := len(held) - 1
	held[r.nth] = held[last]
	held[r.nth].nth = r.nth
	e.claims[r.claim] = held[:last]
	if last == 0 {
		delete(e.claims, r.claim)
	}
	r.claim, r.lease = queue.ClaimID{}, queue.LeaseID{}
}
