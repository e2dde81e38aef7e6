package main

import (
	"context"

	"github.com/twicehq/twice/queue"
)

type deadRedriveCmd struct {
	deadChoice
	person
}

func (deadRedriveCmd) Help() string {
	return `Use it after the cause is mended: the jobs run again with fresh budgets, under the same ids, so effects they have made are not made again. By a filter, jobs in doubt are left out: each needs an answer of its own (twice dead resolve).

    twice dead redrive --kind orders.charge --reason failures --why "gateway is back"`
}

func (c deadRedriveCmd) Run(ctx context.Context, s *session) error {
	by, err := c.forChange(s, "dead redrive", c.DryRun)
	if err != nil {
		return err
	}
	if queue.Reason(c.Reason) == queue.ReasonDoubt {
		return usage("dead redrive", "a job in doubt is never redriven by a filter: its effect might be made twice", "answer each doubt with `twice dead resolve`: that redrives the job")
	}
	which, err := c.choose(ctx, s, "dead redrive", false)
	if err != nil {
		return err
	}
	_, operator, err := with[queue.Operator](ctx, s, "dead redrive")
	if err != nil {
		return err
	}
	return c.settle(ctx, s, which, "dead redrive", "redrive", "redriven", func(ctx context.Context, ids []queue.ID) ([]error, error) {
		return operator.Redrive(ctx, by, ids...)
	})
}

type deadDiscardCmd struct {
	deadChoice
	person
}

func (deadDiscardCmd) Help() string {
	return `Use it for dead jobs that need not run any more: they end cancelled, and still count in the books. By a filter, jobs in doubt are left out, unless --reason in_doubt names them.

    twice dead discard --queue mails --why "campaign is over"`
}

func (c deadDiscardCmd) Run(ctx context.Context, s *session) error {
	by, err := c.forChange(s, "dead discard", c.DryRun)
	if err != nil {
		return err
	}
	which, err := c.choose(ctx, s, "dead discard", queue.Reason(c.Reason) == queue.ReasonDoubt)
	if err != nil {
		return err
	}
	_, operator, err := with[queue.Operator](ctx, s, "dead discard")
	if err != nil {
		return err
	}
	return c.settle(ctx, s, which, "dead discard", "discard", "discarded", func(ctx context.Context, ids []queue.ID) ([]error, error) {
		return operator.Discard(ctx, by, ids...)
	})
}
