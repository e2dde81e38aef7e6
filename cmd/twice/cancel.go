package main

import (
	"context"
	"errors"
	"sync"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

type cancelCmd struct {
	IDs []string `arg:"" name:"id" help:"The jobs' ids."`
	person
}

func (cancelCmd) Help() string {
	return `Use it when a job must not run, or must stop. A handler that runs sees its context end; effects it has made stay made and are listed on the job.

    twice cancel 6f1c…e2 --why "customer withdrew the order"`
}

func (c cancelCmd) Run(ctx context.Context, s *session) error {
	by, err := c.actor(s, "cancel")
	if err != nil {
		return err
	}
	ids, err := parseIDs("cancel", c.IDs)
	if err != nil {
		return err
	}
	done := changes{Matched: len(ids)}
	cancel, err := s.canceller(ctx, by, "cancel")
	if err != nil {
		return err
	}
	if err := s.change(ctx, "cancel", &done, ids, cancel); err != nil {
		return err
	}
	return s.report(done, "cancelled")
}

// canceller cancels jobs after sealing their effects in the ledger.
func (s *session) canceller(ctx context.Context, by queue.Actor, op string) (func(context.Context, []queue.ID) ([]error, error), error) {
	engine, _, err := with[queue.Operator](ctx, s, op)
	if err != nil {
		return nil, err
	}
	store, err := s.ledger(ctx, engine)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, ids []queue.ID) ([]error, error) {
		return sideBySide(ids, func(part []queue.ID) ([]error, error) {
			return ledger.Cancel(ctx, engine, store, by, part...)
		})
	}, nil
}

// sideBySide calls do for parts of ids at once, since each job is sealed by a write of its own and engines
// commit together what comes together. The answers are in the order of ids.
func sideBySide(ids []queue.ID, do func([]queue.ID) ([]error, error)) ([]error, error) {
	const part = 16
	answers, failures := make([]error, len(ids)), make([]error, (len(ids)+part-1)/part)
	var all sync.WaitGroup
	for i := range failures {
		all.Go(func() {
			at := i * part
			errs, err := do(ids[at:min(at+part, len(ids))])
			copy(answers[at:], errs)
			failures[i] = err
		})
	}
	all.Wait()
	return answers, errors.Join(failures...)
}
