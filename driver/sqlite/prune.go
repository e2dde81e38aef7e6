package sqlite

import (
	"context"
	"database/sql/driver"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/twicehq/twice/queue"
)

// quiet is when a prune is next worth a scan of twice_ended: nothing can be old enough before.
type quiet = atomic.Int64

// Prune implements [queue.Pruner].
func (e *Engine) Prune(ctx context.Context, limit int) (pruned int, err error) {
	if err := checkLimit("prune", limit); err != nil {
		return 0, err
	}
	now := e.clock.now()
	old := now - e.cfg.UniqueFor.Milliseconds()
	var done []candidate
	if now >= e.pruned.Load() {
		// The search holds nobody up; the rows are compared again when they are deleted.
		err = e.read(ctx, "prune", func(t *txn) error {
			if err := t.s.query("SELECT seq FROM twice_ended WHERE ended <= ? ORDER BY seq LIMIT ?", func(r []driver.Value) error {
				done = append(done, candidate{seq: number(r[0])})
				return nil
			}, old, int64(limit)); err != nil || len(done) == limit {
				return err
			}
			v, err := one(t.s, "SELECT min(ended) FROM twice_ended WHERE ended > ?", old)
			if err != nil {
				return err
			}
			next := now + min(e.cfg.UniqueFor.Milliseconds(), time.Minute.Milliseconds())
			if v != nil {
				next = min(next, number(v)+e.cfg.UniqueFor.Milliseconds())
			}
			e.pruned.Store(next)
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	return written(ctx, e, "prune", phaseOther, func(t *txn) (pruned int, err error) {
		if err := t.flush(); err != nil {
			return 0, err
		}
		if pruned, err = t.forget(done, func(r *passing) bool { return r.ended <= old }); err != nil {
			return 0, err
		}
		var kept []candidate
		if err := t.s.query("SELECT seq FROM twice_job WHERE prune_at <= ? AND prune_at IS NOT NULL ORDER BY prune_at LIMIT ?", func(r []driver.Value) error {
			kept = append(kept, candidate{seq: number(r[0])})
			return nil
		}, t.now, int64(limit-pruned)); err != nil {
			return 0, err
		}
		n, err := t.forget(kept, func(r *passing) bool { return true })
		return pruned + n, err
	})
}

// passing is a row about to be forgotten.
type passing struct {
	seq, lane, token, ended, fresh int64
	state                          queue.State
	id                             queue.ID
}

// forget deletes ended rows of either table that still are what agreed says.
func (t *txn) forget(seqs []candidate, agreed func(*passing) bool) (n int, err error) {
	if len(seqs) == 0 {
		return 0, nil
	}
	for _, table := range []struct{ name, state, ended, fresh string }{
		{"twice_ended", "3", "ended", "max(coalesce(fresh_at, 0), coalesce(run_at, created))"},
		{"twice_job", "state", "ended", "max(coalesce(fresh_at, 0), coalesce(run_at, created))"},
	} {
		var gone []candidate
		err := t.bySeq("SELECT seq, lane, token, "+table.ended+", "+table.fresh+", "+table.state+", id FROM "+table.name, seqs, func(r []driver.Value) error {
			p := passing{seq: number(r[0]), lane: number(r[1]), token: number(r[2]), ended: number(r[3]), fresh: number(r[4]), state: queue.State(number(r[5])), id: idOf(r[6])}
			l := t.view.lanes[p.lane]
			if l == nil || (p.state != queue.Done && p.state != queue.Cancelled) || !agreed(&p) {
				return nil
			}
			gone = append(gone, candidate{seq: p.seq})
			t.moved(l, p.state, 0, 1)
			t.count(l.q.id).pruned++
			// New rows of these ids start above every token that was ever given to them.
			l.q.floor = max(l.q.floor, p.token+1)
			t.engine.floor = max(t.engine.floor, p.seq)
			return nil
		})
		if err != nil {
			return 0, err
		}
		if err := t.changeBySeq("DELETE FROM "+table.name, gone); err != nil {
			return 0, err
		}
		n += len(gone)
	}
	if n == 0 {
		return 0, nil
	}
	for _, q := range t.view.queues {
		if _, err := t.s.exec("UPDATE twice_queue SET token_floor = max(token_floor, ?) WHERE queue = ?", q.floor, q.id); err != nil {
			return 0, err
		}
	}
	if _, err := t.s.exec("UPDATE twice_engine SET seq_floor = max(seq_floor, ?)", t.engine.floor); err != nil {
		return 0, err
	}
	return n, t.e.ids.drop(t)
}

// MoveMark implements [queue.Pruner].
func (e *Engine) MoveMark(ctx context.Context, to time.Time) error {
	return e.write(ctx, "move mark", phaseOther, func(t *txn) error {
		t.engine.mark = max(t.engine.mark, min(millis(to), t.now-e.cfg.KeepFor.Milliseconds()))
		_, err := t.s.exec("UPDATE twice_engine SET mark = max(mark, ?)", t.engine.mark)
		return err
	})
}

// Mark implements [queue.Pruner]: all queues have the same.
func (e *Engine) Mark(ctx context.Context, _ string) (mark time.Time, err error) {
	err = e.read(ctx, "mark", func(t *txn) error {
		mark = instant(t.engine.mark)
		return nil
	})
	return mark, err
}

// Reap implements [queue.Pruner].
func (e *Engine) Reap(ctx context.Context, limit int) (reaped int, err error) {
	if err := checkLimit("reap", limit); err != nil {
		return 0, err
	}
	var old []candidate
	err = e.read(ctx, "reap", func(t *txn) error {
		mark := t.engine.mark
		if mark == 0 {
			return nil
		}
		const fresh = "max(coalesce(fresh_at, 0), coalesce(run_at, created)) <= ?"
		for _, query := range []string{
			"SELECT seq FROM twice_ended WHERE " + fresh + " ORDER BY seq LIMIT ?",
			"SELECT seq FROM twice_job WHERE prune_at IS NOT NULL AND prune_at <= " + strconv.FormatInt(t.now, 10) + " AND " + fresh + " ORDER BY seq LIMIT ?",
		} {
			if err := t.s.query(query, func(r []driver.Value) error {
				old = append(old, candidate{seq: number(r[0])})
				return nil
			}, mark, int64(limit-len(old))); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || len(old) == 0 {
		return 0, err
	}
	return written(ctx, e, "reap", phaseOther, func(t *txn) (int, error) {
		if err := t.flush(); err != nil {
			return 0, err
		}
		return t.forget(old, func(p *passing) bool { return p.fresh <= t.engine.mark })
	})
}

func checkLimit(op string, limit int) error {
	if limit < 1 || limit > maxBatch {
		return &queue.Error{Op: op, Reason: queue.ErrInvalid, Detail: "the limit must be 1 to 10000"}
	}
	return nil
}
