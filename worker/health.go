package worker

import "time"

// Health is how a worker does at a moment.
type Health struct {
	Running  bool // Run or RunLone is under way
	Polling  bool // a claim waits at the engine
	Draining bool
	Stalled  bool // the claim loop has not moved for long, though it has something to do: restart the process
	Slots    int  // Free + Busy + Deaf + those reserved by a claim under way
	Free     int  // reserved by nobody
	Busy     int
	Deaf     int       // written off: their handler does not end
	LastPoll time.Time // when the engine last answered a claim; zero: never
	LastTurn time.Time // when the claim loop last moved, also if the engine failed
	Ending   int       // attempts that ended and wait for the engine to take their settlement
}

// PollAge is the time since the engine last answered a claim; 0 if it never did. It grows while all
// slots are busy, too.
func (h Health) PollAge(now time.Time) time.Duration {
	if h.LastPoll.IsZero() {
		return 0
	}
	return max(0, now.Sub(h.LastPoll))
}

// Live reports whether the process is worth keeping: the claim loop moves. A worker whose engine cannot
// be reached is alive.
func (h Health) Live() bool { return h.Running && !h.Stalled }

// Health may be called at any time.
func (w *Worker) Health() Health {
	r := w.run.Load()
	if r == nil {
		return Health{Slots: w.cfg.Concurrency}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	h := Health{
		Running: true, Polling: r.polling, Draining: r.draining, Stalled: r.stalled,
		Slots: r.slots, Free: r.free, Deaf: r.deaf, LastTurn: r.lastTurn(), Ending: len(r.ends),
	}
	for a := range r.held {
		if phase := a.phase.Load(); phase == running || phase == waiting {
			h.Busy++
		}
	}
	if ns := r.polled.Load(); ns != 0 {
		h.LastPoll = time.Unix(0, ns)
	}
	return h
}
