package main

import (
	"context"

	"github.com/twicehq/twice/queue"
)

type queuePurgeCmd struct {
	Name string `arg:"" name:"queue" help:"The queue."`
	Kind string `help:"Only jobs of this kind." placeholder:"NAME"`
	bulk
	person
}

func (queuePurgeCmd) Help() string {
	return `Use it when what waits in a queue must not run any more. It cancels the jobs that are queued when it looks; those that run, and those handed in meanwhile, are left alone. Nothing is deleted: they end cancelled, and still count in the books.

    twice queue purge mails --dry-run`
}

const purgeOp = "queue purge"

func (c queuePurgeCmd) Run(ctx context.Context, s *session) error {
	by, err := c.forChange(s, purgeOp, c.DryRun)
	if err != nil {
		return err
	}
	if err := c.check(purgeOp); err != nil {
		return err
	}
	q := queue.Query{Queue: c.Name, Kind: c.Kind, State: queue.Queued}
	if err := checkFilter(purgeOp, q); err != nil {
		return err
	}
	engine, look, err := with[queue.Inspector](ctx, s, purgeOp)
	if err != nil {
		return err
	}
	if err := knownQueue(ctx, engine, purgeOp, c.Name, ""); err != nil {
		return err
	}
	f, err := s.scan(ctx, look, q, c.Limit, func(queue.Record) bool { return true })
	if err != nil {
		return err
	}
	done := changes{Matched: len(f.ids), More: f.more, DryRun: c.DryRun}
	if c.DryRun {
		return s.report(done, "cancelled")
	}
	if len(f.ids) > 0 {
		if err := s.confirm(c.bulk, purgeOp, "cancel "+many(len(f.ids), "queued job", "queued jobs")+" of queue "+plain(c.Name)); err != nil {
			return err
		}
	}
	cancel, err := s.canceller(ctx, by, purgeOp)
	if err != nil {
		return err
	}
	if err := s.change(ctx, purgeOp, &done, f.ids, cancel); err != nil {
		return err
	}
	return s.report(done, "cancelled")
}
