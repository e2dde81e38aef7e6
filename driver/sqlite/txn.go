package sqlite

import (
	"database/sql/driver"

	"github.com/twicehq/twice/queue"
)

// txn is one transaction: a commit of the writer, a caller's own, or a read. Rows that it inserts
// wait in pending until somebody must see them, so that many callers' rows share a statement.
type txn struct {
	e       *Engine
	w       *writer // nil: not the writer's
	s       session
	now     int64
	view    view
	engine  engineRow
	next    int64 // the seq of the next row
	pending []job
	fresh   map[queue.ID]int64 // ids enqueued in this transaction, with their seq
	tally   map[int64]*tally
	woken   map[laneKey]bool // lanes that have work now
	handed  []handover
	after   []func() // run when it has committed
	own     bool     // it is a caller's own, so it sees rows that may yet be rolled back
}

// engineRow is what the engine knows of itself.
type engineRow struct {
	clock, floor, sealed, mark int64
	spared                     int64   // the lease's end that was last given after a silence
	quiet                      silence // the longest that no claim has used
}

func (t *txn) loadView() error {
	t.view = newView()
	err := t.s.query("SELECT clock, seq_floor, sealed, mark, spared, quiet_from, quiet_to FROM twice_engine", func(r []driver.Value) error {
		t.engine = engineRow{clock: number(r[0]), floor: number(r[1]), sealed: number(r[2]), mark: number(r[3]), spared: number(r[4]), quiet: silence{number(r[5]), number(r[6])}}
		return nil
	})
	if err != nil {
		return err
	}
	return t.view.load(t.s)
}

// touch writes the clock, unless it was written less than every milliseconds ago. It is what tells an engine that
// could not serve from one that nobody asked. The silence that it ends is remembered for the next claim, which knows
// whether it was as long as a lease. Of two the longer is kept, as long as a claim could use it.
func (t *txn) touch(every int64) error {
	if t.now-t.engine.clock < every {
		return nil
	}
	e := &t.engine
	if s := (silence{e.clock, t.now}); s.from > 0 && (s.length() >= e.quiet.length() || e.quiet.over(t.now)) {
		e.quiet = s
	}
	e.clock = t.now
	_, err := t.s.exec("UPDATE twice_engine SET clock = max(clock, ?), quiet_from = ?, quiet_to = ?", t.now, e.quiet.from, e.quiet.to)
	return err
}

// finish writes what was put off.
func (t *txn) finish() error {
	if err := t.flush(); err != nil {
		return err
	}
	wrote, err := t.writeTally()
	if err != nil || !wrote {
		return err
	}
	if err := t.touch(1000); err != nil {
		return err
	}
	if t.w == nil {
		return nil
	}
	if t.w.folded++; t.w.folded >= foldEvery {
		t.w.folded = 0
		if err := fold(t.s); err != nil {
			return err
		}
	}
	return t.e.ids.seal(t)
}

// committed makes the transaction known in this process: the writer calls it after the commit.
func (t *txn) committed() {
	t.w.view, t.w.engine = t.view, t.engine
	t.e.ids.merge(t.fresh, t.next-1)
	for _, fn := range t.after {
		fn()
	}
	for _, h := range t.handed {
		h.answer(true)
	}
	if len(t.woken) > 0 {
		t.e.wake.ring(t.woken)
	}
}

// wakes notes that a lane has a job due now.
func (t *txn) wakes(l laneKey) {
	if t.w == nil {
		return
	}
	if t.woken == nil {
		t.woken = map[laneKey]bool{}
	}
	t.woken[l] = true
}

// Values of a row; NULL is the zero value.

func number(v driver.Value) int64 { n, _ := v.(int64); return n }

func text(v driver.Value) string {
	switch v := v.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	}
	return ""
}

// bytesOf copies: a driver may use its buffer again.
func bytesOf(v driver.Value) []byte {
	switch v := v.(type) {
	case []byte:
		if len(v) == 0 {
			return []byte{}
		}
		return append([]byte(nil), v...)
	case string:
		return []byte(v)
	}
	return nil
}

// null gives NULL for the zero value.
func null[T comparable](v T) driver.Value {
	var zero T
	if v == zero {
		return nil
	}
	return v
}

func nullBytes(b []byte) driver.Value {
	if b == nil {
		return nil
	}
	return b
}
