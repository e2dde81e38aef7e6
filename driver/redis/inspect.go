package redis

import (
	"context"
	"encoding/binary"
	"math"
	"time"

	"github.com/twicehq/twice/queue"
)

// Job implements [queue.Inspector].
func (e *Engine) Job(ctx context.Context, id queue.ID) (queue.Record, error) {
	if err := e.usable(ctx, "job"); err != nil {
		return queue.Record{}, err
	}
	all, err := e.find(ctx, []queue.ID{id})
	if err != nil {
		return queue.Record{}, translated("job", err)
	}
	if all[0] == nil {
		return queue.Record{}, failed("job", id, queue.ErrNotFound, "", "")
	}
	return all[0].record(id)
}

func (f *found) record(id queue.ID) (queue.Record, error) {
	r := f.rec
	job, err := r.job(id, f.line)
	if err != nil {
		return queue.Record{}, damaged("job", id, err)
	}
	s, err := readStory(f.told)
	if err != nil {
		return queue.Record{}, damaged("job", id, err)
	}
	rec := queue.Record{
		Job: job, State: r.state, Whole: !r.stripped(), Counts: s.counts, Token: r.token, Lone: r.lone(), EnqueuedAt: instant(r.born),
		ClaimedAt: instant(r.claimed), EndedAt: instant(r.ended), FreshAt: instant(r.fresh), Reason: s.reason, Error: s.err, Result: s.result,
		Checkpoint: s.checkpoint, Effects: s.effects, Attempts: s.attempts, AttemptsDropped: s.dropped,
	}
	switch r.state {
	case queue.Queued:
		rec.RunAt = instant(r.at)
	case queue.Running:
		rec.Worker, rec.LeaseUntil = r.worker, instant(r.at)
	}
	return rec, nil
}

// Depths implements [queue.Inspector]. The counts are exact at every moment.
func (e *Engine) Depths(ctx context.Context, queues ...string) ([]queue.Depth, error) {
	if err := e.usable(ctx, "depths"); err != nil {
		return nil, err
	}
	if len(queues) == 0 {
		all, err := e.all(ctx)
		if err != nil {
			return nil, translated("depths", err)
		}
		queues = all
	}
	answers, err := e.each(ctx, depthScript, queues, false, func(_ int, l *line) []string { return []string{digits(len(l.names))} })
	if err != nil {
		return nil, translated("depths", err)
	}
	depths := make([]queue.Depth, len(queues))
	for i, a := range answers {
		if depths[i] = (queue.Depth{Queue: queues[i], AsOf: e.about()}); a.bytes == nil {
			continue
		}
		var n [12]int64
		for k := range n {
			n[k] = int64(math.Float64frombits(binary.BigEndian.Uint64(a.bytes[8*k:])))
		}
		d := &depths[i]
		d.AsOf, d.Paused = instant(n[0]), n[1] == 1
		d.Accepted, d.Queued, d.Running, d.Done, d.Dead, d.Cancelled, d.Pruned = n[2], n[3], n[4], n[5], n[6], n[7], n[8]
		d.Ready, d.Expired, d.Waiting = seen(n[9]), seen(n[10]), seen(n[3]-n[9])
		if n[11] > 0 {
			d.OldestDue = instant(n[11])
		}
	}
	return depths, nil
}

func seen(n int64) queue.Seen {
	return queue.Seen{N: int(max(0, min(n, queue.MaxSeen))), More: n > queue.MaxSeen}
}

// span writes a duration in milliseconds.
func span(d time.Duration) string { return digits(d.Milliseconds()) }
