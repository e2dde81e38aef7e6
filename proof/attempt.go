package proof

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

// attempt is one run of the handler, in a goroutine of its own, which works only while the trial lets it.
type attempt struct {
	t        *trial
	name     string
	holding  queue.Holding
	world    any
	last     bool // the next failure is the last one that the job may have
	ctx      context.Context
	cancel   context.CancelFunc
	arrivals chan *arrival // before a call, or between two
	afters   chan *arrival // after one
	done     chan worker.Ending
	exited   chan struct{}
	within   sync.Map     // goroutines that are within a call
	errors   atomic.Int64 // after all was over
	number   string       // of the handler's own goroutine

	// Of the trial's own goroutine.
	at      *arrival // where it stands; nil: it does not
	points  []point  // reached so far
	calling bool     // a call of it is under way: those of several goroutines are made one after the other
	over    bool     // it has answered
	crashed bool
	settled bool
	ending  worker.Ending
}

func (a *attempt) run() {
	defer close(a.exited)
	a.t.adopt(a)
	sent := false
	defer func() {
		if !sent { // the handler, or the kit, called Goexit
			a.done <- worker.Ending{Outcome: queue.OutcomePanicked, Error: "the handler called runtime.Goexit"}
		}
	}()
	end := a.answer()
	a.stop(point{name: "the settlement", when: answer})
	sent = true
	a.done <- end
}

// answer runs the handler and reads its answer as a worker does.
func (a *attempt) answer() (end worker.Ending) {
	returned := false
	defer func() {
		if returned {
			return
		}
		if v := recover(); v != nil {
			end = worker.Ending{Outcome: queue.OutcomePanicked, Error: fmt.Sprintf("panic: %v", v)}
		}
	}()
	err := a.t.p.handle(a.ctx, a.world, a.holding.Lease)
	returned = true
	return endingOf(err)
}

func endingOf(answer error) worker.Ending {
	if answer == nil {
		return worker.Ending{Outcome: queue.OutcomeDone}
	}
	end := worker.Ending{Outcome: queue.OutcomeFailed, Error: answer.Error()}
	buried, snoozed := (*twice.Buried)(nil), (*twice.Snoozed)(nil)
	switch {
	case errors.Is(answer, queue.ErrInDoubt):
		end.Outcome, end.InDoubt = queue.OutcomeBuried, true
	case errors.As(answer, &buried):
		end.Outcome = queue.OutcomeBuried
	case errors.As(answer, &snoozed):
		end.Outcome, end.Delay = queue.OutcomeSnoozed, snoozed.For
	}
	return end
}
