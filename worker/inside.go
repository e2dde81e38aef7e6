package worker

import (
	"time"

	"github.com/twicehq/twice/queue"
)

// inside runs a suspect in this process: with nothing beside it if another process serves its queue
// meanwhile; else beside the others, since nobody is to be held up, and the event says so.
func (r *runner) inside(a *attempt) {
	a.alone = r.stepAside(a)
	if a.alone {
		defer r.stepBack()
	}
	if r.isDraining() {
		r.giveBack(a)
		return
	}
	r.tell(r.base, Event{What: LoneStarted, Lease: a.lease(), Alone: a.alone})
	go r.attend(a)
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		if _, held := r.held[a]; !held || r.over {
			return
		}
		r.quiet.Wait()
	}
}

// stepAside stops claiming and waits until nothing but a is under way. False, at once or while it waits,
// where no other live process serves the queue, or a deaf handler will not go away.
func (r *runner) stepAside(a *attempt) bool {
	presence, ok := queue.As[queue.Presence](r.engine)
	if !ok || !r.servedElsewhere(presence, a) {
		return false
	}
	r.mu.Lock()
	r.aside = true
	if r.hangPoll != nil {
		r.hangPoll()
	}
	r.mu.Unlock()
	// Say so before looking again: of two that would step aside for each other, none does.
	for r.announce(presence) && r.servedElsewhere(presence, a) {
		r.mu.Lock()
		empty, deaf := len(r.held) == 1 && !r.polling, r.deaf > 0
		r.mu.Unlock()
		if empty && !deaf {
			return true
		}
		if deaf || !pause(r.claims, asidePause) {
			break
		}
	}
	r.stepBack()
	return false
}

const asidePause = 200 * time.Millisecond

// stepBack claims again.
func (r *runner) stepBack() {
	r.mu.Lock()
	r.aside = false
	r.mu.Unlock()
	r.moved()
	r.turn.Broadcast()
	if presence, ok := queue.As[queue.Presence](r.engine); ok {
		r.announce(presence)
	}
}
