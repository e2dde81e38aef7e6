package diagnose

import (
	"time"

	"github.com/twicehq/twice/queue"
)

// moves is what happened to the attempts of a kind within the window, at all workers that told.
type moves struct {
	begun, done, failed, timedOut, afterCrash, crashed, lost, dead, ended int64
	run                                                                   time.Duration
}

func (a *moves) add(b moves) {
	a.begun += b.begun
	a.done += b.done
	a.failed += b.failed
	a.timedOut += b.timedOut
	a.afterCrash += b.afterCrash
	a.crashed += b.crashed
	a.lost += b.lost
	a.dead += b.dead
	a.ended += b.ended
	a.run += b.run
}

// between is what a worker counted after was, until is. What went back or cannot be counts as nothing.
func between(was, is queue.Recent) moves {
	d := func(was, is int64) int64 {
		if was < 0 || is < was || is > 1<<50 {
			return 0
		}
		return is - was
	}
	return moves{
		begun: d(was.Begun, is.Begun), done: d(was.Done, is.Done), timedOut: d(was.TimedOut, is.TimedOut),
		failed:     d(was.Failed, is.Failed) + d(was.TimedOut, is.TimedOut) + d(was.Panicked, is.Panicked) + d(was.Buried, is.Buried),
		afterCrash: d(was.AfterCrash, is.AfterCrash), crashed: d(was.Crashed, is.Crashed), lost: d(was.Lost, is.Lost), dead: d(was.Dead, is.Dead),
		ended: d(was.Ended(), is.Ended()), run: max(0, min(is.Run-was.Run, 1<<55)),
	}
}

// moves gives what happened within the window, by kind.
func (v *view) moves() map[string]*moves {
	if v.moved != nil {
		return v.moved
	}
	v.moved = map[string]*moves{}
	type place struct {
		process
		kind string
	}
	first, last := map[place]queue.Recent{}, map[place]queue.Recent{}
	for i, m := range v.moments {
		for _, w := range m.members {
			for _, r := range w.Recent {
				if r.Queue != v.queue {
					continue
				}
				at := place{w.process(), r.Kind}
				if _, seen := last[at]; !seen && (i == 0 || !v.fresh(w, v.moments[0].now)) {
					first[at] = r // what it counted before is not of this window
				}
				last[at] = r
			}
		}
	}
	for at, r := range last {
		if v.moved[at.kind] == nil {
			v.moved[at.kind] = &moves{}
		}
		v.moved[at.kind].add(between(first[at], r))
	}
	return v.moved
}

// fresh: the worker, or its first attempt of a kind, is of the window that began at from: all that it counts is.
func (v *view) fresh(w *member, from time.Time) bool {
	if w.since(w.Started, w.SeenAt) <= w.SeenAt.Sub(from) {
		return true
	}
	for _, old := range v.moments[0].members {
		if old.process() == w.process() {
			return true // it was there, and had not run this kind
		}
	}
	return false
}

// all gives what happened to attempts of all kinds.
func (v *view) all() (sum moves) {
	for _, m := range v.moves() {
		sum.add(*m)
	}
	return sum
}
