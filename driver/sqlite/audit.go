package sqlite

import (
	"cmp"
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
	"strconv"

	"github.com/twicehq/twice/queue"
)

// Audit implements [queue.Auditor]: counts and scan are of one moment.
func (e *Engine) Audit(ctx context.Context) (all []queue.Books, err error) {
	err = e.read(ctx, "audit", func(t *txn) error {
		sums, err := readTally(t.s)
		if err != nil {
			return err
		}
		found := map[int64]*tally{}
		for _, query := range []string{
			"SELECT lane, state, count(*) FROM twice_job GROUP BY lane, state",
			"SELECT lane, 3, count(*) FROM twice_ended GROUP BY lane",
		} {
			if err := t.s.query(query, func(r []driver.Value) error {
				l := t.view.lanes[number(r[0])]
				if l == nil {
					return damaged("lane", number(r[0]), queue.ErrNotFound)
				}
				if found[l.q.id] == nil {
					found[l.q.id] = &tally{}
				}
				found[l.q.id].add(queue.State(number(r[1])), number(r[2]))
				return nil
			}); err != nil {
				return err
			}
		}
		for _, q := range t.view.queues {
			b := queue.Books{Queue: q.name, Accepted: sums[q.id].accepted, Pruned: sums[q.id].pruned}
			if f := found[q.id]; f != nil {
				b.Found = queue.Tally{Queued: f.queued, Running: f.running, Done: f.done, Dead: f.dead, Cancelled: f.cancelled}
			}
			all = append(all, b)
		}
		slices.SortFunc(all, func(a, b queue.Books) int { return cmp.Compare(a.Queue, b.Queue) })
		return nil
	})
	return all, err
}

// Trail implements [queue.Auditor].
func (e *Engine) Trail(ctx context.Context, cursor string, limit int) (all []queue.Change, next string, err error) {
	if limit < 1 || limit > queue.MaxPage {
		return nil, "", &queue.Error{Op: "trail", Reason: queue.ErrInvalid, Detail: fmt.Sprintf("the limit is %d, not 1 to %d", limit, queue.MaxPage)}
	}
	before := int64(1<<63 - 1)
	if cursor != "" {
		if before, err = strconv.ParseInt(cursor, 36, 64); err != nil {
			return nil, "", &queue.Error{Op: "trail", Subject: fmt.Sprintf("%.40q", cursor), Reason: queue.ErrInvalid, Detail: "no such cursor"}
		}
	}
	err = e.read(ctx, "trail", func(t *txn) error {
		var last int64
		err := t.s.query("SELECT n, at, who, why, what, queue, job, note FROM twice_change WHERE n < ? ORDER BY n DESC LIMIT ?", func(r []driver.Value) error {
			last = number(r[0])
			all = append(all, queue.Change{At: instant(number(r[1])), By: queue.Actor{Name: text(r[2]), Why: text(r[3])}, What: text(r[4]),
				Queue: text(r[5]), Job: idOf(r[6]), Note: text(r[7])})
			return nil
		}, before, int64(limit))
		if len(all) == limit {
			next = strconv.FormatInt(last, 36)
		}
		return err
	})
	return all, next, err
}
