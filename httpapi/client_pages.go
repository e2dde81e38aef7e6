package httpapi

import (
	"context"
	"iter"
	"net/url"
	"strconv"

	"github.com/twicehq/twice/queue"
)

// each gives every part of a list, page by page. The first error ends it.
func each[A, T any](ctx context.Context, c *Client, op, path string, query url.Values, parts func(A) ([]T, string)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		for cursor := ""; ; {
			answer, err := read[A](ctx, c, op, path, page(query, cursor))
			if err != nil {
				yield(none, err)
				return
			}
			some, next := parts(answer)
			for _, v := range some {
				if !yield(v, nil) {
					return
				}
			}
			if next == "" || next == cursor {
				return
			}
			cursor = next
		}
	}
}

// JobsPage gives one page of jobs, newest first; q.Limit 0 means 100. Payload, result, attempts and effects are left out.
func (c *Client) JobsPage(ctx context.Context, q queue.Query) (Jobs, error) {
	return read[Jobs](ctx, c, "list jobs", v1+"jobs", page(queryValues(q), q.Cursor))
}

// Jobs gives the jobs that q selects, newest first, page by page of q.Limit as they are asked for.
func (c *Client) Jobs(ctx context.Context, q queue.Query) iter.Seq2[Job, error] {
	return each(ctx, c, "list jobs", v1+"jobs", queryValues(q), func(p Jobs) ([]Job, string) { return p.Jobs, p.Next })
}

func queryValues(q queue.Query) url.Values {
	v := fill(url.Values{}, "queue", q.Queue, "kind", q.Kind, "reason", string(q.Reason))
	if q.State != 0 {
		v.Set("state", q.State.String())
	}
	if q.Limit != 0 {
		v.Set("limit", strconv.Itoa(q.Limit))
	}
	return v
}

// Queues gives the counts of each queue, by name.
func (c *Client) Queues(ctx context.Context) iter.Seq2[Queue, error] {
	return each(ctx, c, "list queues", v1+"queues", nil, func(p Queues) ([]Queue, string) { return p.Queues, p.Next })
}

// Workers gives the worker processes that live, or fell silent lately, by name.
func (c *Client) Workers(ctx context.Context) iter.Seq2[Worker, error] {
	return each(ctx, c, "list workers", v1+"workers", nil, func(p Workers) ([]Worker, string) { return p.Workers, p.Next })
}

// Schedules gives the cron entries, by name.
func (c *Client) Schedules(ctx context.Context) iter.Seq2[Schedule, error] {
	return each(ctx, c, "list schedules", v1+"schedules", nil, func(p Schedules) ([]Schedule, string) { return p.Schedules, p.Next })
}

// TrailPage gives one page of changes by people, newest first; limit 0 means 100, an empty cursor the first page.
func (c *Client) TrailPage(ctx context.Context, cursor string, limit int) (Trail, error) {
	q := url.Values{}
	if limit != 0 {
		q.Set("limit", strconv.Itoa(limit))
	}
	return read[Trail](ctx, c, "audit trail", v1+"audit/trail", page(q, cursor))
}

// Trail gives the changes by people, newest first.
func (c *Client) Trail(ctx context.Context) iter.Seq2[TrailEntry, error] {
	return each(ctx, c, "audit trail", v1+"audit/trail", nil, func(p Trail) ([]TrailEntry, string) { return p.Changes, p.Next })
}
