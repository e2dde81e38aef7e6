package redis

import (
	"context"
	"strconv"
	"time"
)

// Prune implements [queue.Pruner].
func (e *Engine) Prune(ctx context.Context, limit int) (int, error) {
	n, err := e.forget(ctx, "prune", limit, false)
	if err == nil {
		e.reconcileInTurn(ctx)
	}
	return n, err
}

// Reap implements [queue.Pruner].
func (e *Engine) Reap(ctx context.Context, limit int) (int, error) {
	return e.forget(ctx, "reap", limit, true)
}

// endedBytes is about what a job that is done takes until it is pruned: its record, its field and its place in line.
const endedBytes = 160

// pruneAtOnce bounds one script: nobody else is served while it runs.
const pruneAtOnce = 1000

func (e *Engine) forget(ctx context.Context, op string, limit int, reap bool) (n int, err error) {
	if err := e.usable(ctx, op); err != nil {
		return 0, err
	}
	names, err := e.all(ctx)
	if err != nil {
		return 0, translated(op, err)
	}
	for _, name := range names {
		for n < limit {
			most := min(limit-n, pruneAtOnce)
			answer, there, err := e.on(ctx, pruneScript, name, false, nil, func(*line) []string { return []string{digits(most), flag(reap), digits(e.cfg.EndedBytes / endedBytes)} })
			if err != nil {
				return n, translated(op, err)
			}
			if !there {
				break
			}
			gone, _ := strconv.Atoi(string(answer))
			n += gone
			if gone < most {
				break
			}
		}
	}
	return n, nil
}

// MoveMark implements [queue.Pruner]. The mark that queues to come begin with moves first.
func (e *Engine) MoveMark(ctx context.Context, t time.Time) error {
	if err := e.usable(ctx, "move mark"); err != nil {
		return err
	}
	names, err := e.all(ctx)
	if err != nil {
		return translated("move mark", err)
	}
	now, err := e.now(ctx)
	if err != nil {
		return translated("move mark", err)
	}
	to := min(milli(t), now-e.cfg.KeepFor.Milliseconds())
	old, err := e.client.Do(ctx, e.client.B().Get().Key(e.cfg.Prefix+":mark").Build()).AsInt64()
	if ignoreNil(err) != nil {
		return translated("move mark", err)
	}
	if to > old {
		if err := e.client.Do(ctx, e.client.B().Set().Key(e.cfg.Prefix+":mark").Value(digits(to)).Build()).Error(); err != nil {
			return translated("move mark", err)
		}
	}
	_, err = e.each(ctx, markScript, names, false, func(int, *line) []string { return []string{digits(milli(t)), span(e.cfg.KeepFor)} })
	return translated("move mark", err)
}

// Mark implements [queue.Pruner].
func (e *Engine) Mark(ctx context.Context, name string) (time.Time, error) {
	if err := e.usable(ctx, "mark"); err != nil {
		return time.Time{}, err
	}
	s, err := e.stateOf(ctx, name)
	if err == nil && s != nil {
		return instant(s.mark), nil
	}
	ms, err := e.client.Do(ctx, e.client.B().Get().Key(e.cfg.Prefix+":mark").Build()).AsInt64()
	return instant(ms), translated("mark", ignoreNil(err))
}

// now is the server's clock.
func (e *Engine) now(ctx context.Context) (int64, error) {
	if e.cfg.Now != nil {
		return e.cfg.Now().UnixMilli(), nil
	}
	parts, err := e.client.Do(ctx, e.client.B().Time().Build()).AsStrSlice()
	if err != nil || len(parts) != 2 {
		return 0, err
	}
	s, _ := strconv.ParseInt(parts[0], 10, 64)
	us, _ := strconv.ParseInt(parts[1], 10, 64)
	return 1000*s + us/1000, nil
}
