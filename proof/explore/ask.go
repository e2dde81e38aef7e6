package explore

import (
	"context"
	"errors"
	"fmt"

	"github.com/twicehq/twice/proof/history"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

func (w *world) claim(ctx context.Context, a Act) history.Answer {
	req := queue.Claim{ID: claimID(a.Claim), Worker: "w", Queues: []string{"q"}, Kinds: []string{kind}, Max: 1, TTL: ttl, Lone: a.What == ClaimAlone}
	if w.lone {
		req.CrashCaps = map[string]int{kind: w.rules.Caps.Crashes}
	}
	leases, err := w.engine.Claim(ctx, req)
	switch {
	case err != nil:
		return odd(err)
	case len(leases) == 0:
		return Nothing
	}
	l := leases[0]
	n := name{a.Claim, l.Token}
	if len(leases) > 1 || l.ID != n.id() || l.Job.ID != job.ID {
		return history.Answer(fmt.Sprintf("%d leases, the first %s at token %d", len(leases), l.ID, l.Token))
	}
	w.leases[n] = l
	return leasedAt(l.Token)
}

// lease gives a lease by name; one that this trace did not give is made up, with nothing but what engines compare.
func (w *world) lease(n name) queue.Lease {
	if l, ok := w.leases[n]; ok {
		return l
	}
	return queue.Lease{Job: job, ID: n.id(), Token: n.token}
}

// settlement is what a worker makes of the attempt's end, by its own policy.
func (w *world) settlement(a Act) queue.Settlement {
	l := w.lease(a.lease())
	end := worker.Ending{Outcome: a.End}
	switch a.End {
	case queue.OutcomeBuried:
		if l.Counts.Crashes >= w.rules.Caps.Crashes {
			s, _ := worker.Begin(l, w.rules, w.at)
			s.Effects = effects(a.List)
			return s
		}
	case queue.OutcomeSnoozed:
		end.Delay = a.delay()
	}
	end.InDoubt = a.Doubt
	s := worker.Decide(l, end, w.rules, w.at, 0)
	if !w.lone {
		s.Lone = false // nothing is run alone here
	}
	if s.State == queue.Dead {
		s.Effects = effects(a.List)
	}
	return s
}

// effects is a list of steps that were made.
func effects(steps uint8) []queue.Effect {
	list := []queue.Effect{}
	for bit := uint8(1); bit <= 2; bit++ {
		if steps&bit != 0 {
			list = append(list, queue.Effect{Step: stepName(bit), State: queue.EffectRecorded})
		}
	}
	return list
}

func first(errs []error, err error) history.Answer {
	if err != nil || len(errs) != 1 {
		return odd(err)
	}
	return told(errs[0])
}

func told(err error) history.Answer {
	switch {
	case err == nil:
		return history.OK
	case errors.Is(err, queue.ErrLeaseLost):
		return history.LeaseLost
	case errors.Is(err, queue.ErrNotFound):
		return history.NotFound
	case errors.Is(err, queue.ErrState), errors.Is(err, queue.ErrInDoubt), errors.Is(err, queue.ErrCapped):
		return history.Refused
	}
	return odd(err)
}

func odd(err error) history.Answer {
	return history.Answer(fmt.Sprintf("an unexpected answer: %v", err))
}
