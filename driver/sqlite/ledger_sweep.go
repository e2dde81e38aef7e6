package sqlite

import (
	"context"
	"database/sql/driver"
	"time"

	"github.com/twicehq/twice/queue"
)

// MoveMark implements [ledger.Store].
func (l *Ledger) MoveMark(ctx context.Context, to time.Time) error {
	return l.e.write(ctx, "move mark", phaseOther, func(t *txn) error {
		_, err := t.s.exec("UPDATE twice_ledger SET mark = max(mark, ?)", min(millis(to), t.now-l.e.cfg.KeepFor.Milliseconds()))
		return err
	})
}

// askAtOnce is how many jobs a sweep asks the engine about at a time.
const askAtOnce = 100

// over selects the jobs of which everything is at or before the mark, after one id, with their highest token.
const over = `SELECT job, max(token) FROM (
		SELECT job, token, fresh_at AS at FROM twice_effect WHERE job > ?1
		UNION ALL SELECT job, token, at FROM twice_seal WHERE job > ?1)
	GROUP BY job HAVING max(at) <= (SELECT mark FROM twice_ledger) AND (SELECT mark FROM twice_ledger) > 0 ORDER BY job LIMIT ?2`

// Sweep implements [ledger.Store].
func (l *Ledger) Sweep(ctx context.Context, limit int, forgotten func(context.Context, []queue.ID) ([]bool, error)) (swept int, err error) {
	after := queue.ID{}
	for swept < limit {
		var ids []queue.ID
		tokens := map[queue.ID]int64{}
		err := l.e.read(ctx, "sweep", func(t *txn) error {
			return t.s.query(over, func(r []driver.Value) error {
				id := idOf(r[0])
				ids, tokens[id] = append(ids, id), number(r[1])
				return nil
			}, after[:], int64(min(askAtOnce, limit-swept)))
		})
		if err != nil || len(ids) == 0 {
			return swept, err
		}
		after = ids[len(ids)-1]
		gone, err := forgotten(ctx, ids)
		if err != nil {
			return swept, err
		}
		if len(gone) != len(ids) {
			return swept, &queue.Error{Op: "sweep", Subject: l.e.path, Reason: queue.ErrInvalid, Detail: "the engine answered for another number of jobs"}
		}
		var dropped int
		err = l.e.write(ctx, "sweep", phaseOther, func(t *txn) error {
			dropped = 0
			for i, id := range ids {
				if !gone[i] {
					continue
				}
				ok, err := t.sweep(id, tokens[id])
				if err != nil {
					return err
				}
				if ok {
					dropped++
				}
			}
			return nil
		})
		if err != nil {
			return swept, err
		}
		swept += dropped
	}
	return swept, nil
}

// sweep deletes what is held of a job, unless more came since it was looked at.
func (t *txn) sweep(id queue.ID, token int64) (bool, error) {
	more, err := one(t.s, `SELECT EXISTS (SELECT 1 FROM twice_effect, twice_ledger WHERE job = ?1 AND (token > ?2 OR fresh_at > mark))
		OR EXISTS (SELECT 1 FROM twice_seal, twice_ledger WHERE job = ?1 AND (token > ?2 OR at > mark))`, id[:], token)
	if err != nil || number(more) != 0 {
		return false, err
	}
	for _, table := range []string{"twice_effect", "twice_seal"} {
		if _, err := t.s.exec("DELETE FROM "+table+" WHERE job = ?", id[:]); err != nil {
			return false, err
		}
	}
	return true, nil
}
