package redis

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/twicehq/twice/queue"
)

// Audit implements [queue.Auditor]. Jobs that came after it began are left out; where any were pruned meanwhile it
// begins again.
func (e *Engine) Audit(ctx context.Context) ([]queue.Books, error) {
	if err := e.usable(ctx, "audit"); err != nil {
		return nil, err
	}
	names, err := e.all(ctx)
	if err != nil {
		return nil, translated("audit", err)
	}
	var books []queue.Books
	for _, name := range names {
		b, err := e.auditOne(ctx, name)
		if err != nil {
			return nil, translated("audit", err)
		}
		if b != nil {
			books = append(books, *b)
		}
	}
	return books, nil
}

const auditTries = 10

func (e *Engine) auditOne(ctx context.Context, name string) (*queue.Books, error) {
	for range auditTries {
		before, err := e.stateOf(ctx, name)
		if err != nil || before == nil {
			return nil, err
		}
		seen := map[queue.ID]queue.State{}
		err = e.scan(ctx, name, func(_ *line, id queue.ID, raw []byte) error {
			rec, err := readRecord(raw)
			if err != nil {
				return damaged("audit", id, err)
			}
			if rec.born < before.last || rec.born == before.last && rec.nth <= before.nth {
				seen[id] = rec.state
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		after, err := e.stateOf(ctx, name)
		if err != nil {
			return nil, err
		}
		if after == nil || after.pruned != before.pruned {
			continue
		}
		b := &queue.Books{Queue: name, Accepted: before.accepted, Pruned: before.pruned}
		for _, s := range seen {
			switch s {
			case queue.Queued:
				b.Found.Queued++
			case queue.Running:
				b.Found.Running++
			case queue.Done:
				b.Found.Done++
			case queue.Dead:
				b.Found.Dead++
			case queue.Cancelled:
				b.Found.Cancelled++
			}
		}
		return b, nil
	}
	return nil, &queue.Error{Op: "audit", Subject: "queue " + name, Reason: queue.ErrUnavailable, Detail: "jobs were pruned during each of several scans", Remedy: "try again later"}
}

// Trail implements [queue.Auditor]. A limit of 0 means 100. Each queue keeps its own; here they are one, by time.
func (e *Engine) Trail(ctx context.Context, cursor string, limit int) ([]queue.Change, string, error) {
	if limit < 0 || limit > queue.MaxPage {
		return nil, "", &queue.Error{Op: "trail", Reason: queue.ErrInvalid, Detail: fmt.Sprintf("its limit is %d", limit), Remedy: fmt.Sprintf("use 1 to %d", queue.MaxPage)}
	}
	limit = cmp.Or(limit, 100)
	skip := 0
	if cursor != "" {
		n, err := strconv.Atoi(cursor)
		if err != nil || n < 1 {
			return nil, "", &queue.Error{Op: "trail", Reason: queue.ErrInvalid, Detail: fmt.Sprintf("no such cursor: %.40q", cursor), Remedy: "use the one that the page before gave"}
		}
		skip = n
	}
	if err := e.usable(ctx, "trail"); err != nil {
		return nil, "", err
	}
	names, err := e.all(ctx)
	if err != nil {
		return nil, "", translated("trail", err)
	}
	type numbered struct {
		queue.Change
		n int64
	}
	var all []numbered
	for _, name := range names {
		last := int64(skip + limit + 1)
		rows, err := e.client.Do(ctx, e.client.B().Lrange().Key(e.key(name, "t")).Start(-last).Stop(-1).Build()).AsStrSlice()
		if err != nil {
			return nil, "", translated("trail", err)
		}
		for i, row := range rows {
			c, err := readChange(name, []byte(row))
			if err != nil {
				return nil, "", err
			}
			all = append(all, numbered{c, int64(i)})
		}
	}
	slices.SortStableFunc(all, func(a, b numbered) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Queue, b.Queue), cmp.Compare(b.n, a.n))
	})
	all = all[min(skip, len(all)):]
	next := ""
	if len(all) > limit {
		all, next = all[:limit], strconv.Itoa(skip+limit)
	}
	var page []queue.Change
	for _, c := range all {
		page = append(page, c.Change)
	}
	return page, next, nil
}

func readChange(name string, raw []byte) (queue.Change, error) {
	r := reader{b: raw}
	c := queue.Change{At: instant(r.uint(6)), Queue: name, Job: queue.ID(r.take(16))}
	var by actor
	err := json.Unmarshal(r.take(int(r.uint(2))), &by)
	if err != nil || r.short {
		return c, &queue.Error{Op: "trail", Subject: "queue " + name, Reason: queue.ErrCorrupt, Cause: cmp.Or(err, errShort)}
	}
	c.By, c.What, c.Note = queue.Actor{Name: string(by.Name), Why: string(by.Why)}, by.What, string(r.b)
	return c, nil
}
