package proof

import (
	"context"
	"errors"
	"strings"

	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

// settle ends an attempt by its answer.
func (t *trial) settle(a *attempt) {
	a.settled = true
	if a.ending.Outcome == queue.OutcomeDone && a.holding.Settled() {
		t.say(a.name, "is done, and has ended its job itself")
		return
	}
	rules := t.p.rules
	if a.last {
		rules.Caps.Failures = 1
	}
	t.apply(a.name, worker.Decide(a.holding.Lease, a.ending, rules, t.clock.now(), 0.5))
}

// apply settles, sealed first where the job dies and the ledger is no part of the engine.
func (t *trial) apply(who string, s queue.Settlement) {
	ctx := context.Background()
	if s.State == queue.Dead && t.apart {
		made, err := t.store.Seal(ctx, s.Lease.Job.ID, s.Lease.Token)
		t.must("seal the ledger", err)
		s.Effects = made
	}
	errs, err := t.engine.Settle(ctx, s)
	t.must("settle", err)
	if err := errs[0]; err != nil && !errors.Is(err, queue.ErrLeaseLost) {
		t.must("settle", err)
	}
	if who == "" {
		return
	}
	said := "answers: done"
	if s.Error != "" {
		said = "answers: " + short(strings.ReplaceAll(s.Error, "\n", " "), 160)
	}
	switch {
	case errs[0] != nil:
		said += "; the engine refuses it, since the lease is lost"
	case s.State == queue.Done:
		said += "; the job is done"
	case s.State == queue.Dead:
		said += "; the job is dead (" + string(s.Reason) + ")"
	default:
		said += "; the job is queued again"
	}
	t.say(who, "%s", said)
}
