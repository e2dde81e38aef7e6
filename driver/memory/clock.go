package memory

import (
	"time"

	"github.com/twicehq/twice/queue"
)

// tick is how often waiting claims show that the process runs.
const tick = time.Second

// now is the engine's time: cut to Resolution, and never going back.
func (e *Engine) now() time.Time {
	e.clock = e.steady.now()
	return e.clock
}

// pass lets time pass: whatever has become due is put on its shelf, and somebody waiting for it is woken.
//
// The process may have stood still: frozen, suspended, its clock set forward. Then no holder of a lease
// could have extended it here. So where nothing was served for as long as a lease lasts, a lease that ran
// out meanwhile runs once more, and no crash is counted. It does so once, until its holder is heard: silence
// may also mean that nobody asked, and where claims come more rarely than a lease lasts a dead holder's lease
// would be spared for ever.
func (e *Engine) pass() time.Time {
	now := e.now()
	silent := now.Sub(e.served)
	for r := e.later.first(); r != nil && !r.at.After(now); r = e.later.first() {
		e.later.remove(r)
		if r.state == queue.Running && silent >= r.ttl && !r.spared {
			r.at, r.spared = now.Add(r.ttl), true
		}
		e.place(r, now)
		if r.lone && r.state == queue.Running && !r.at.After(now) {
			e.rouse(e.line(r.job.Queue)) // another lone job of the queue may go
		}
	}
	e.serve(now)
	return now
}

func (e *Engine) serve(t time.Time) {
	if t.After(e.served) {
		e.served = t
	}
}

// wind sets the alarm to when the next job becomes due, while anybody waits. Until it rings the process
// counts as serving: a waiting claim is a worker that polls.
func (e *Engine) wind(now time.Time) {
	if len(e.waiters) == 0 || e.isClosed() {
		if e.alarm != nil {
			e.alarm.Stop()
		}
		return
	}
	d := tick
	if r := e.later.first(); r != nil {
		d = min(d, r.at.Sub(now))
	}
	e.serve(now.Add(d))
	if e.alarm == nil {
		e.alarm = time.AfterFunc(d, e.ring)
	} else {
		e.alarm.Reset(d)
	}
}

func (e *Engine) ring() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.isClosed() {
		e.wind(e.pass())
	}
}
