package proof

import (
	"time"
)

// where tells how far an attempt came.
type where uint8

const (
	standing where = iota // at the point asked for
	ended                 // it answered
	stuck                 // it does nothing that is seen
)

// advance lets the attempt run until it stands at its n-th point, or has answered; n = 0: until it has answered.
func (a *attempt) advance(n int) where {
	a.t.current.Store(a)
	defer a.t.current.Store(nil)
	for {
		if a.over {
			return ended
		}
		if a.at != nil {
			if n > 0 && len(a.points) == n {
				return standing
			}
			a.release(pass)
		}
		if !a.await() {
			return stuck
		}
	}
}

// release lets the attempt go on from where it stands.
func (a *attempt) release(v verdict) {
	at := a.at
	a.at = nil
	a.calling = at.when == before && v == pass
	at.reply <- v
}

// await waits until the attempt stands at its next point or has answered; false: it does nothing for too long.
func (a *attempt) await() bool {
	patience := time.NewTimer(a.t.p.limits.Patience)
	defer patience.Stop()
	arrivals := a.arrivals
	if a.calling {
		arrivals = a.afters
	}
	select {
	case a.at = <-arrivals:
		a.points, a.calling = append(a.points, a.at.point), false
	case a.ending = <-a.done:
		a.over = true
	case <-patience.C:
		return false
	}
	return true
}

// enter tells whether this goroutine begins a call; false: it is within one.
func (a *attempt) enter() bool {
	own := self()
	_, within := a.within.LoadOrStore(own, true)
	return !within
}

func (a *attempt) leave() { a.within.Delete(self()) }
