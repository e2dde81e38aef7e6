package redis

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// entries runs an action that answers all entries of a job, by step.
func (l *Ledger) entries(ctx context.Context, op string, c call, job queue.ID) ([]ledger.Entry, error) {
	status, r, err := l.do(ctx, op, c)
	if err != nil || status != 'E' {
		return nil, err
	}
	now := r.uint(6)
	var all []ledger.Entry
	for len(r.b) > 0 {
		step := string(r.text())
		all = append(all, readEntry(ledger.Key{Job: job, Step: step}, now, &reader{b: r.text()}))
	}
	slices.SortFunc(all, func(a, b ledger.Entry) int { return strings.Compare(a.Key.Step, b.Key.Step) })
	return all, nil
}

// MoveMark implements [ledger.Store]: of every partition, so it may be interrupted, and called again.
func (l *Ledger) MoveMark(ctx context.Context, t time.Time) error {
	if err := l.e.usable(ctx, "move mark"); err != nil {
		return err
	}
	calls := make([]call, parts)
	for i := range calls {
		calls[i] = l.of(forgetScript, queue.ID{byte(i)}, "", 0, digits(milli(t)), span(l.e.cfg.KeepFor))
	}
	for _, r := range l.e.run(ctx, calls...) {
		if err := r.Error(); err != nil {
			return translated("move mark", err)
		}
	}
	return nil
}

// askAtOnce is how many jobs a sweep asks the engine about at a time.
const askAtOnce = 100

// Sweep implements [ledger.Store].
func (l *Ledger) Sweep(ctx context.Context, limit int, forgotten func(context.Context, []queue.ID) ([]bool, error)) (int, error) {
	swept := 0
	for part := range parts {
		n, err := l.sweepPart(ctx, part, limit-swept, forgotten)
		swept += n
		if err != nil || swept >= limit {
			return swept, err
		}
	}
	return swept, nil
}

// sweepPart goes over what is old in one partition; those that the engine still has are passed over.
func (l *Ledger) sweepPart(ctx context.Context, part, limit int, forgotten func(context.Context, []queue.ID) ([]bool, error)) (swept int, err error) {
	if err := l.e.usable(ctx, "sweep"); err != nil {
		return 0, err
	}
	tag, b := l.tag(part), l.e.client.B()
	mark, err := l.e.client.Do(ctx, b.Get().Key(tag+"mark").Build()).ToString()
	if err != nil {
		return 0, translated("sweep", ignoreNil(err))
	}
	for passed := int64(0); swept < limit; {
		found, err := l.e.client.Do(ctx, b.Zrangebyscore().Key(tag+"fresh").Min("-inf").Max(mark).Limit(passed, int64(min(askAtOnce, limit-swept))).Build()).AsStrSlice()
		if err != nil {
			return swept, translated("sweep", err)
		}
		if len(found) == 0 {
			return swept, nil
		}
		old, err := l.old(ctx, found)
		if err != nil {
			return swept, err
		}
		n, err := l.drop(ctx, old, forgotten)
		if swept += n; err != nil {
			return swept, err
		}
		passed += int64(len(found) - n)
	}
	return swept, nil
}

// aged is a job that may be swept, and the highest token seen there when it was looked at.
type aged struct {
	id    queue.ID
	token int64
}

func (l *Ledger) old(ctx context.Context, found []string) (old []aged, err error) {
	var calls []call
	for _, f := range found {
		if len(f) == 16 {
			calls = append(calls, l.of(overScript, queue.ID([]byte(f)), "", 0))
		}
	}
	for i, result := range l.e.run(ctx, calls...) {
		answer, err := result.AsBytes()
		if err != nil {
			return nil, translated("sweep", err)
		}
		r := reader{b: answer}
		if r.uint(1) == 'Y' {
			old = append(old, aged{queue.ID([]byte(calls[i].args[1])), r.uint(5)})
		}
	}
	return old, nil
}

// drop deletes what is held of jobs that the engine no longer has, unless more came since they were looked at.
func (l *Ledger) drop(ctx context.Context, old []aged, forgotten func(context.Context, []queue.ID) ([]bool, error)) (int, error) {
	if len(old) == 0 {
		return 0, nil
	}
	ids := make([]queue.ID, len(old))
	for i, o := range old {
		ids[i] = o.id
	}
	gone, err := forgotten(ctx, ids)
	if err != nil {
		return 0, err
	}
	if len(gone) != len(ids) {
		return 0, &queue.Error{Op: "sweep", Subject: "ledger", Reason: queue.ErrInvalid, Detail: fmt.Sprintf("asked about %d jobs, the engine answered for %d", len(ids), len(gone))}
	}
	var calls []call
	for i, o := range old {
		if gone[i] {
			calls = append(calls, l.of(dropScript, o.id, "", o.token))
		}
	}
	n := 0
	if len(calls) == 0 {
		return 0, nil
	}
	for _, result := range l.e.run(ctx, calls...) {
		answer, err := result.ToString()
		if err != nil {
			return n, translated("sweep", err)
		}
		if answer == "Y" {
			n++
		}
	}
	return n, nil
}
