package proof

import (
	"fmt"
	"slices"
	"time"
)

// explorer goes through all schedules, the shortest to tell first, until one breaks the handler.
type explorer struct {
	*plan
	reference *result
	report    *Report
	began     time.Time
	broken    *result
	sort      *SortReport
	stopped   bool
	crashes   int // the highest n at which a crash of the first attempt fired
}

// explore runs the sorts one after the other.
func (e *explorer) explore() {
	ways := map[Sort]func(){
		Crash:       func() { e.crashes = e.points(doCrash, nil) },
		Lost:        func() { e.points(doError, []when{after}) },
		Error:       func() { e.points(doError, []when{before, alone}) },
		Redrive:     func() { e.points(doDead, []when{before, alone, after}, move{do: doRedrive}) },
		Zombie:      func() { e.points("", nil, move{attempt: 1}, move{}) },
		SecondCrash: func() { e.pairs(doCrash, doCrash) },
		Duplicate:   func() { e.pairs("", "", move{}, move{attempt: 1}) },
		Late:        e.late,
	}
	for _, sort := range Sorts() {
		if e.broken != nil {
			return
		}
		e.report.Sorts = append(e.report.Sorts, SortReport{Sort: sort})
		e.sort = &e.report.Sorts[len(e.report.Sorts)-1]
		if slices.Contains(e.skip, sort) {
			e.sort.Cut = "left out by Case.Skip"
			continue
		}
		ways[sort]()
	}
}

// points does one thing at the n-th point of the first attempt, for n = 1, 2, … until n no longer fires, and gives the
// last that did. Points of other places than these are passed over.
func (e *explorer) points(do string, of []when, then ...move) int {
	known := e.reference.points[0]
	last := 0
	for n := 1; e.may(0); n++ {
		if n <= len(known) && of != nil && !slices.Contains(of, known[n-1].when) {
			continue
		}
		r, fired := e.try(append(schedule{{at: n, do: do}}, then...))
		if !fired && n >= len(known) {
			break
		}
		last = n
		e.sort.Points = n
		if r.broken(e.reference) != "" {
			break
		}
	}
	return last
}

// pairs does one thing at the n-th point of the first attempt and another at the m-th of the second, for all n and m that fire.
func (e *explorer) pairs(first, second string, then ...move) {
	done := 0
	for n := 1; e.broken == nil; n++ {
		for m := 1; e.may(done); m++ {
			r, fired := e.try(append(schedule{{at: n, do: first}, {attempt: 1, at: m, do: second}}, then...))
			if !fired {
				if len(r.points[0]) < n { // the first attempt has no n-th point
					return
				}
				break
			}
			done++
			e.sort.Points = n
			if e.broken != nil {
				return
			}
		}
		if e.stopped || e.sort.Cut != "" {
			return
		}
	}
}

// late lets the first attempt stand before its first step until all is forgotten. What the protocol promises then: the same request,
// which says when it was first made, is refused, and the attempt makes no effect. A request that does not
// say when it was made would run once more: no queue can know it.
func (e *explorer) late() {
	if e.may(0) {
		if _, fired := e.try(schedule{{at: 1}, {attempt: 1}, {do: doReap}, {do: doAgain}, {}}); fired {
			e.sort.Points = 1
		}
	}
}

// may tells whether another schedule may be run; where not, the report says why.
func (e *explorer) may(pairs int) bool {
	switch {
	case e.broken != nil:
		return false
	case e.report.Explored >= e.limits.Schedules:
		e.stopped = true
		e.cut(e.given.Schedules > 0, "Schedules = %d", e.limits.Schedules)
	case pairs >= e.limits.Pairs:
		e.cut(e.given.Pairs > 0, "Pairs = %d", e.limits.Pairs)
		return false
	case time.Since(e.began) > e.limits.Time:
		e.stopped = true
		e.cut(e.given.Time > 0, "Time = %s", e.limits.Time)
	}
	return !e.stopped
}

// cut says that a limit ended the sort; meant: somebody set it.
func (e *explorer) cut(meant bool, format string, args ...any) {
	e.sort.Cut = "cut short at Limits." + fmt.Sprintf(format, args...)
	e.report.unmeant = e.report.unmeant || !meant
}

// try runs a schedule. One that did not fire is not counted, unless it broke the handler all the same.
func (e *explorer) try(s schedule) (*result, bool) {
	r := e.plan.try(s, e.reference)
	if e.differs(r) {
		e.report.note("the handler is not deterministic: with nothing done to it yet, it made other calls than in the reference. Schedules may not replay.")
	}
	if !r.fired && r.broken(e.reference) == "" {
		return r, false
	}
	e.report.Explored++
	e.sort.Explored++
	if r.byPerson > 0 {
		e.sort.ByPerson++
	}
	if r.broken(e.reference) != "" {
		e.broken = r
	}
	return r, true
}

// differs tells whether the first attempt took another way than the reference, before anything was done to it.
func (e *explorer) differs(r *result) bool {
	if len(r.points) == 0 || len(r.schedule) == 0 {
		return false
	}
	known := e.reference.points[0]
	n := min(max(r.schedule[0].at, 1), len(known), len(r.points[0]))
	return !slices.Equal(known[:n], r.points[0][:n])
}
