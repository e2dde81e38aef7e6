package worker

import (
	"time"

	"github.com/twicehq/twice/queue"
)

// maxShutdownMargin keeps a shutdown with the default grace within the 30 s that supervisors give.
const maxShutdownMargin = 2 * time.Second

// drain ends the run: see Worker.Run.
func (r *runner) drain() {
	r.mu.Lock()
	r.draining = true
	n := len(r.held)
	r.mu.Unlock()
	r.noMore()
	r.turn.Broadcast()
	r.tell(r.base, Event{What: Draining, N: n})
	if !r.quietWithin(r.cfg.Grace) {
		r.shut.Store(true)
		for _, a := range r.inHandlers() {
			a.cancel(ErrShutdown)
		}
		if !r.quietWithin(min(r.cfg.Margin, maxShutdownMargin)) {
			for _, a := range r.inHandlers() {
				r.writeOff(a, Ending{Outcome: queue.OutcomeInterrupted, Error: "its handler did not return when the worker shut down"})
			}
			r.quietWithin(lastWord)
		}
	}
	r.finish()
}

func (r *runner) inHandlers() []*attempt {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []*attempt
	for a := range r.held {
		if a.phase.Load() == running {
			all = append(all, a)
		}
	}
	return all
}

func (r *runner) isDraining() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.draining
}

// quietWithin waits until nothing is under way; false if that takes longer than d.
func (r *runner) quietWithin(d time.Duration) bool {
	late := false
	t := time.AfterFunc(d, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		late = true
		r.quiet.Broadcast()
	})
	defer t.Stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	for !r.isQuiet() && !late {
		r.quiet.Wait()
	}
	return r.isQuiet()
}

// isQuiet: no lease is held and none can come. r.mu is held.
func (r *runner) isQuiet() bool { return len(r.held) == 0 && !r.polling && r.suspects == 0 }

// finish ends everything that serves the run. An engine that does not return from a call, though its
// context has ended, is not waited for.
func (r *runner) finish() {
	r.mu.Lock()
	r.over = true
	left := len(r.held)
	r.mu.Unlock()
	r.hangUp()
	r.turn.Broadcast()
	r.quiet.Broadcast()
	done := make(chan struct{})
	go func() {
		r.senders.Wait()
		r.others.Wait()
		close(done)
	}()
	t := time.NewTimer(lastWord)
	defer t.Stop()
	select {
	case <-done:
	case <-t.C:
	}
	r.run.Store(nil)
	r.tell(r.base, Event{What: Drained, N: left, Err: r.failure()})
}
