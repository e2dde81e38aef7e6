package main

import (
	"context"
	"log/slog"

	"github.com/twicehq/twice/internal/open"
	"github.com/twicehq/twice/outbox"
	"github.com/twicehq/twice/queue"
)

type relayCmd struct {
	From string `required:"" help:"The engine in the application's database, in which jobs wait: sqlite:PATH." placeholder:"URL"`
	Once bool   `help:"Forward what waits now, and end."`
}

func (relayCmd) Help() string {
	return `Use it where an application stores its jobs in an outbox beside its data and does not forward them itself (the orders application does). Jobs keep their ids, so a relay that dies and begins again doubles none; any number may run.

    twice relay --from sqlite:orders.db --engine redis://127.0.0.1:6379/0`
}

const relayOp = "relay"

func (c relayCmd) Run(ctx context.Context, s *session) error {
	box, err := open.Existing(ctx, c.From)
	if err != nil {
		return &unreachable{err}
	}
	s.closers = append(s.closers, box.Close)
	to, err := s.engineOrNew(ctx)
	if err != nil {
		return err
	}
	if box.Traits().Name == to.Traits().Name && c.From == s.url {
		return &queue.Error{Op: relayOp, Subject: open.Redacted(c.From), Reason: queue.ErrInvalid, Detail: "it would forward to itself", Remedy: "name the engine that works the jobs with --engine"}
	}
	relay := outbox.NewRelay(box, to, outbox.Config{Logger: slog.New(slog.NewJSONHandler(s.Stderr, nil))})
	if !c.Once {
		s.promise(to)
		s.note("forwarding what waits in %s, until Ctrl-C", plain(open.Redacted(c.From)))
		return relay.Run(ctx)
	}
	forwarded := 0
	for {
		n, err := relay.Once(ctx, 0)
		if err != nil {
			return &unreachable{err}
		}
		if forwarded += n; n == 0 {
			break
		}
	}
	if s.json {
		return s.emit(struct {
			Forwarded int `json:"forwarded"`
		}{forwarded})
	}
	return s.say("%s forwarded", many(forwarded, "job", "jobs"))
}
