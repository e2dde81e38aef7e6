package memory

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"time"

	"github.com/twicehq/twice/queue"
)

// Job implements [queue.Inspector].
func (e *Engine) Job(ctx context.Context, id queue.ID) (queue.Record, error) {
	_, leave, err := e.enter(ctx, "job")
	if err != nil {
		return queue.Record{}, err
	}
	defer leave()
	r, ok := e.jobs[id]
	if !ok {
		return queue.Record{}, failed("job", id, queue.ErrNotFound, "")
	}
	return r.record(), nil
}

func (r *row) record() queue.Record {
	rec := queue.Record{
		Job: copied(r.job), State: r.state, Whole: !r.stripped, Counts: r.counts, Token: r.token, Lone: r.lone,
		EnqueuedAt: r.enqueuedAt, ClaimedAt: r.claimedAt, EndedAt: r.endedAt, FreshAt: r.fresh,
		Reason: r.reason, Error: r.err, Result: bytes.Clone(r.result), Checkpoint: bytes.Clone(r.checkpoint),
		Effects: slices.Clone(r.effects), Attempts: slices.Clone(r.attempts), AttemptsDropped: r.dropped,
	}
	switch r.state {
	case queue.Queued:
		rec.RunAt = r.at
	case queue.Running:
		rec.Worker, rec.LeaseUntil = r.worker, r.at
	}
	return rec
}

// List implements [queue.Inspector]. It looks at a bounded number of jobs at a time, so that a rare
// match in a large store holds nobody up.
func (e *Engine) List(ctx context.Context, q queue.Query) (queue.Page, error) {
	if q.Limit < 0 || q.Limit > queue.MaxPage {
		return queue.Page{}, &queue.Error{Op: "list", Reason: queue.ErrInvalid, Detail: fmt.Sprintf("its limit is %d", q.Limit), Remedy: fmt.Sprintf("use 1 to %d", queue.MaxPage)}
	}
	if q.Limit == 0 {
		q.Limit = 100
	}
	below, err := cursor("list", q.Cursor)
	if err != nil {
		return queue.Page{}, err
	}
	var page queue.Page
	for {
		if below, err = e.listSome(ctx, q, below, &page); err != nil {
			return queue.Page{}, err
		}
		if below == 0 || page.Next != "" {
			return page, nil
		}
	}
}

// listSome looks at rows with a seq below the given one, newest first, and gives where to go on; 0: at the end.
func (e *Engine) listSome(ctx context.Context, q queue.Query, below int64, page *queue.Page) (int64, error) {
	_, leave, err := e.enter(ctx, "list")
	if err != nil {
		return 0, err
	}
	defer leave()
	i := sort.Search(len(e.order), func(i int) bool { return e.order[i].seq >= below })
	for seen := 0; i > 0 && seen < 10_000; seen++ {
		i--
		r := e.order[i]
		if r.pruned || (q.Queue != "" && q.Queue != r.job.Queue) || (q.Kind != "" && q.Kind != r.job.Kind) ||
			(q.State != 0 && q.State != r.state) || (q.Reason != "" && q.Reason != r.reason) {
			continue
		}
		if len(page.Records) == q.Limit {
			page.Next = strconv.FormatInt(e.order[i].seq+1, 10)
			return 0, nil
		}
		page.Records = append(page.Records, r.record())
	}
	if i == 0 {
		return 0, nil
	}
	return e.order[i].seq, nil
}

func cursor(op, text string) (int64, error) {
	if text == "" {
		return 1<<63 - 1, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return 0, &queue.Error{Op: op, Reason: queue.ErrInvalid, Detail: fmt.Sprintf("no such cursor: %.40q", text), Remedy: "use the one that the page before gave"}
	}
	return n, nil
}

// Depths implements [queue.Inspector]: the counts are exact at every moment.
func (e *Engine) Depths(ctx context.Context, queues ...string) ([]queue.Depth, error) {
	now, leave, err := e.enter(ctx, "depths")
	if err != nil {
		return nil, err
	}
	defer leave()
	if len(queues) == 0 {
		queues = e.names()
	}
	depths := make([]queue.Depth, len(queues))
	for i, name := range queues {
		depths[i] = queue.Depth{Queue: name, AsOf: now}
		if l, ok := e.lines[name]; ok {
			depths[i] = l.depth(now)
		}
	}
	return depths, nil
}

func (l *line) depth(now time.Time) queue.Depth {
	d := queue.Depth{
		Queue: l.name, Accepted: l.accepted, Pruned: l.pruned, AsOf: now, Paused: l.paused,
		Queued: l.tally[queue.Queued], Running: l.tally[queue.Running], Done: l.tally[queue.Done],
		Dead: l.tally[queue.Dead], Cancelled: l.tally[queue.Cancelled],
		Ready: seen(l.ready), Expired: seen(l.expired),
	}
	d.Waiting = seen(int(d.Queued) - l.ready)
	d.OldestDue = l.oldestDue()
	return d
}

func seen(n int) queue.Seen { return queue.Seen{N: min(n, queue.MaxSeen), More: n > queue.MaxSeen} }

// names gives the queues, in order.
func (e *Engine) names() []string {
	names := make([]string, 0, len(e.lines))
	for name := range e.lines {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
