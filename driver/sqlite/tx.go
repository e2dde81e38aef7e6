package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"strings"
	"time"

	"github.com/twicehq/twice/queue"
)

// In joins a transaction of the application on this engine's file: jobs and settlements commit or roll back
// with the application's own data. Begin it as a write transaction, as those of [Engine.DB] and
// [Engine.Atomically] are.
func (e *Engine) In(tx queue.SQL) queue.Tx {
	if g, ok := tx.(*grouped); ok && g.t.e == e {
		return &inside{t: g.t}
	}
	return &inside{e: e, tx: tx}
}

// searched is how many rows that the index of ids does not cover a transaction searches one by one.
const searched = 200

// inside is the engine inside a transaction.
type inside struct {
	t  *txn // of the writer's own commit, or nil
	e  *Engine
	tx queue.SQL
}

func (i *inside) with(ctx context.Context, fn func(*txn) error) error {
	if i.t != nil {
		return i.t.w.raw(func() error { return fn(i.t) })
	}
	s := joined{ctx, i.tx}
	t := &txn{e: i.e, s: s, own: true}
	run := func() error {
		// A write first: from here on nobody else commits, so what is read stays true.
		if _, err := s.exec("UPDATE twice_engine SET clock = clock"); err != nil {
			return err
		}
		if err := t.loadView(); err != nil {
			return err
		}
		i.e.clock.raise(t.engine.clock)
		t.now = i.e.clock.now()
		last, err := one(s, "SELECT max(coalesce((SELECT max(seq) FROM twice_job), 0), coalesce((SELECT max(seq) FROM twice_ended), 0))")
		if err != nil {
			return err
		}
		t.next = max(number(last), t.engine.floor) + 1
		if number(last)-i.e.ids.lastSeq() > searched { // others have committed much since this process last looked
			if err := i.e.read(ctx, "look", func(*txn) error { return nil }); err != nil {
				return err
			}
		}
		if err := fn(t); err != nil {
			return err
		}
		return t.finish()
	}
	return i.e.failed("transaction", run())
}

// Enqueue implements [queue.Tx].
func (i *inside) Enqueue(ctx context.Context, jobs ...queue.Job) (receipts []queue.Receipt, err error) {
	if err := batch("enqueue", len(jobs)); err != nil {
		return nil, err
	}
	err = i.with(ctx, func(t *txn) (err error) {
		receipts, err = t.enqueue(jobs)
		return err
	})
	return receipts, err
}

// Hold implements [queue.Tx].
func (i *inside) Hold(ctx context.Context, lease queue.Lease) error {
	return i.with(ctx, func(t *txn) error { return t.hold(lease) })
}

func (t *txn) hold(lease queue.Lease) error {
	if err := t.flush(); err != nil {
		return err
	}
	if seq := refSeq(lease.Ref); seq > 0 {
		held := false
		err := t.glance([]candidate{{seq: seq}}, func(j *job) { held = j.held(&lease) })
		if held || err != nil {
			return err
		}
	}
	h, err := t.locate(lease)
	if err != nil {
		return err
	}
	if h.job == nil || !h.job.held(&lease) {
		return t.lost("hold", lease, h)
	}
	return nil
}

// Settle implements [queue.Tx]. A settlement that was applied before is a success elsewhere; here it is a lost lease, since
// what the transaction changes beside it would be changed once more.
func (i *inside) Settle(ctx context.Context, ends ...queue.Settlement) (answers []error, err error) {
	if err := batch("settle", len(ends)); err != nil {
		return nil, err
	}
	answers = make([]error, len(ends))
	err = i.with(ctx, func(t *txn) error {
		for n, s := range ends { // one by one: the second of a lease finds that the first has it
			err := t.hold(s.Lease)
			if errors.Is(err, queue.ErrLeaseLost) || unreadable(err) {
				answers[n] = err
				continue
			}
			if err != nil {
				return err
			}
			one, err := t.settle(ends[n : n+1])
			if err != nil {
				return err
			}
			answers[n] = one[0]
		}
		return nil
	})
	return answers, err
}

// Atomically runs fn in a transaction that shares its commit, and so its fsync, with whatever else is waiting:
// the quickest way to change the application's data together with jobs and effects. Where fn fails, all it
// did is rolled back and its error returned. fn must be brief, since it holds the writer, and must act
// only through tx: it is run again from the start where another caller's part of the commit fails. Inside, use
// engine.In(tx); the engine's other methods fail there, and so do statements that begin or end transactions or
// savepoints.
func (e *Engine) Atomically(ctx context.Context, fn func(ctx context.Context, tx queue.SQL) error) error {
	c := calls.Get().(*call)
	c.op, c.phase, c.do = "transaction", phaseEnqueue, nil
	c.inside = func(conn *sql.Conn, t *txn) error {
		g := &grouped{conn: conn, t: t}
		defer g.close()
		return fn(context.WithValue(ctx, insideKey{}, e), g)
	}
	return e.submit(ctx, c)
}

// grouped is the transaction that fn of Atomically gets. It closes what fn left open, which would hold the
// connection's view of the file, and its Close, for ever.
type grouped struct {
	conn *sql.Conn
	t    *txn
	rows []*sql.Rows
	row  []*sql.Row
}

func (g *grouped) close() {
	for _, r := range g.rows {
		_ = r.Close()
	}
	for _, r := range g.row {
		_ = r.Scan()
	}
}

func (g *grouped) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	// The transaction is not fn's alone, and rows that wait to be inserted would survive a savepoint.
	switch word, _, _ := strings.Cut(strings.TrimLeft(query, " \t\r\n;"), " "); strings.ToUpper(strings.TrimRight(word, "; \t\r\n")) {
	case "BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE":
		return nil, &queue.Error{Op: "transaction", Subject: word, Reason: queue.ErrInvalid, Detail: "the transaction is shared with other callers",
			Remedy: "return an error to roll back; for savepoints use a transaction of engine.DB()"}
	}
	return g.conn.ExecContext(context.WithoutCancel(ctx), query, args...)
}

func (g *grouped) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	rows, err := g.conn.QueryContext(context.WithoutCancel(ctx), query, args...)
	if err == nil {
		g.rows = append(g.rows, rows)
	}
	return rows, err
}

func (g *grouped) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	row := g.conn.QueryRowContext(context.WithoutCancel(ctx), query, args...)
	g.row = append(g.row, row)
	return row
}

// runInside runs a caller's own statements within a savepoint of the commit.
func (w *writer) runInside(t *txn, c *call) (answer, err error) {
	exec := func(query string) error {
		return w.raw(func() error { _, err := w.s.exec(query); return err })
	}
	if err := w.raw(t.flush); err != nil {
		return nil, err
	}
	if err := exec("SAVEPOINT caller"); err != nil {
		return nil, err
	}
	mark := t.mark()
	answer = w.guarded(t, c)
	if answer == nil {
		answer = w.raw(t.flush)
	}
	if answer == nil {
		return nil, exec("RELEASE caller")
	}
	t.restore(mark)
	if err := exec("ROLLBACK TO caller"); err != nil { // what failed inside has ended the whole transaction
		return nil, errors.Join(answer, err)
	}
	if err := exec("RELEASE caller"); err != nil {
		return nil, err
	}
	if err := w.raw(t.loadView); err != nil { // lanes that were made inside are gone
		return nil, err
	}
	if w.e.cfg.through.storage(answer) {
		answer = w.e.cfg.through.translated(c.op, w.e.path, answer, false)
	}
	return answer, nil
}

// guarded turns a panic of the caller's function into its error: it must not end the writer.
func (w *writer) guarded(t *txn, c *call) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a transaction: %v\n%s", p, debug.Stack())
		}
	}()
	start := time.Now()
	defer func() {
		if took := time.Since(start); took > time.Second {
			w.e.cfg.Logger.Warn("a transaction inside the engine's commit held up everybody else", "took", took.Round(time.Millisecond),
				"remedy", "call remote systems outside it")
		}
	}()
	return c.inside(w.conn, t)
}

// savepoint is what a transaction has put off, to return to when a part of it is rolled back.
type savepoint struct {
	next  int64
	fresh map[queue.ID]int64
	tally map[int64]tally
	woken map[laneKey]bool
	after int
}

func (t *txn) mark() savepoint {
	m := savepoint{next: t.next, fresh: maps.Clone(t.fresh), woken: maps.Clone(t.woken), after: len(t.after), tally: map[int64]tally{}}
	for id, c := range t.tally {
		m.tally[id] = *c
	}
	return m
}

func (t *txn) restore(m savepoint) {
	t.next, t.fresh, t.woken, t.after, t.pending = m.next, m.fresh, m.woken, t.after[:m.after], t.pending[:0]
	t.tally = map[int64]*tally{}
	for id, c := range m.tally {
		t.tally[id] = &c
	}
}
