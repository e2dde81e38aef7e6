package redis

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/twicehq/twice/queue"
)

// announced is a worker as it is stored, and for how long its word holds.
type announced struct {
	Worker queue.Worker
	TTL    time.Duration
}

// Announce implements [queue.Presence]. It also shows the queues that this process uses that they are served: a
// fellow of theirs could have extended its leases.
func (e *Engine) Announce(ctx context.Context, w queue.Worker, ttl time.Duration) error {
	if err := w.Check(ttl); err != nil {
		return err
	}
	if err := e.usable(ctx, "announce"); err != nil {
		return err
	}
	now, err := e.now(ctx)
	if err != nil {
		return translated("announce", err)
	}
	w.SeenAt, w.Silent = instant(now), false
	text, err := json.Marshal(announced{w, ttl})
	if err != nil {
		return &queue.Error{Op: "announce", Subject: w.Name, Reason: queue.ErrInvalid, Cause: err}
	}
	if err := e.client.Do(ctx, e.client.B().Hset().Key(e.cfg.Prefix+":workers").FieldValue().FieldValue(w.Name, string(text)).Build()).Error(); err != nil {
		return translated("announce", err)
	}
	_, err = e.each(ctx, touchScript, e.lines.names(), false, func(int, *line) []string { return nil })
	return translated("announce", err)
}

// Withdraw implements [queue.Presence]. A name that is not known is well: the worker is gone.
func (e *Engine) Withdraw(ctx context.Context, name string) error {
	if err := e.usable(ctx, "withdraw"); err != nil {
		return err
	}
	return translated("withdraw", e.client.Do(ctx, e.client.B().Hdel().Key(e.cfg.Prefix+":workers").Field(name).Build()).Error())
}

// Workers implements [queue.Presence]: by name.
func (e *Engine) Workers(ctx context.Context) ([]queue.Worker, error) {
	if err := e.usable(ctx, "workers"); err != nil {
		return nil, err
	}
	now, err := e.now(ctx)
	if err != nil {
		return nil, translated("workers", err)
	}
	all, err := e.client.Do(ctx, e.client.B().Hgetall().Key(e.cfg.Prefix+":workers").Build()).AsStrMap()
	if err != nil {
		return nil, translated("workers", err)
	}
	var workers []queue.Worker
	for name, text := range all {
		var a announced
		err := json.Unmarshal([]byte(text), &a)
		silence := instant(now).Sub(a.Worker.SeenAt)
		if err != nil || silence > 2*a.TTL {
			if err := e.Withdraw(ctx, name); err != nil {
				return nil, err
			}
			continue
		}
		a.Worker.Silent = silence > a.TTL
		workers = append(workers, a.Worker)
	}
	slices.SortFunc(workers, func(a, b queue.Worker) int { return strings.Compare(a.Name, b.Name) })
	return workers, nil
}
