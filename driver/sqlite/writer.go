package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twicehq/twice/queue"
)

// writer is the one goroutine that writes. Callers hand it calls; it runs all that wait in one
// transaction and answers them after the commit.
type writer struct {
	e       *Engine
	conn    *sql.Conn
	s       *prepared
	calls   chan *call
	quit    chan struct{}
	stopped chan struct{}
	once    sync.Once
	broken  error // set by the goroutine, before it answers with it

	turn    *turnstile
	version int64 // of the file, as this connection last saw it; -1: what is cached is not to be trusted
	view    view
	engine  engineRow
	folded  int // commits since the counts were folded
	commits atomic.Int64
}

// Phases order the calls of one commit, so that a claim sees what was settled and enqueued beside it.
const (
	phaseSettle = iota
	phaseEnqueue
	phaseOther
	phaseClaim
)

// call is one caller's part of a commit. do may run more than once, each time from the start.
type call struct {
	op     string
	phase  int
	do     func(*txn) error
	inside func(*sql.Conn, *txn) error // instead of do: the caller's own statements
	state  atomic.Int32
	done   chan error
}

const (
	callWaiting = iota
	callTaken
	callGone
)

const maxCallsPerCommit = 4096

func startWriter(e *Engine, conn *sql.Conn) (*writer, error) {
	w := &writer{e: e, conn: conn, calls: make(chan *call, maxCallsPerCommit), quit: make(chan struct{}), stopped: make(chan struct{}),
		turn: openTurnstile(e.path), version: -1}
	err := conn.Raw(func(c any) error {
		raw, ok := c.(driver.Conn)
		if !ok {
			return fmt.Errorf("sqlite: the driver gave a %T", c)
		}
		w.s = newPrepared(raw)
		return nil
	})
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	go w.loop()
	return w, nil
}

func (w *writer) stop() {
	w.once.Do(func() { close(w.quit) })
	<-w.stopped
}

var calls = sync.Pool{New: func() any { return &call{done: make(chan error, 1)} }}

// write runs do in the next commit and returns after its fsync. When ctx ends before it was begun nothing
// happens and ctx's error is returned; after that the outcome is unknown.
func (e *Engine) write(ctx context.Context, op string, phase int, do func(*txn) error) error {
	c := calls.Get().(*call)
	c.op, c.phase, c.do, c.inside = op, phase, do, nil
	return e.submit(ctx, c)
}

// written is write for a do that has a result. The caller may give up while the writer is still at it, so the result
// is handed over whole.
func written[T any](ctx context.Context, e *Engine, op string, phase int, do func(*txn) (T, error)) (out T, err error) {
	var made atomic.Pointer[T]
	err = e.write(ctx, op, phase, func(t *txn) error {
		v, err := do(t)
		made.Store(&v)
		return err
	})
	if v := made.Load(); v != nil {
		out = *v
	}
	return out, err
}

type insideKey struct{}

func (e *Engine) submit(ctx context.Context, c *call) error {
	if ctx.Value(insideKey{}) == e {
		return &queue.Error{Op: c.op, Subject: e.path, Reason: queue.ErrInvalid, Detail: "it was called inside Atomically, which holds the writer",
			Remedy: "use engine.In(tx)"}
	}
	c.state.Store(callWaiting)
	select {
	case <-e.w.quit:
		return e.closed(c.op)
	case <-ctx.Done():
		return ctx.Err()
	default:
	}
	select {
	case e.w.calls <- c:
	case <-e.w.quit:
		return e.closed(c.op)
	case <-ctx.Done():
		return ctx.Err()
	}
	var err error
	select {
	case err = <-c.done:
	case <-e.w.stopped:
		select {
		case err = <-c.done:
		default: // the writer ended before it saw the call, or with its transaction open
			return e.closed(c.op)
		}
	case <-ctx.Done():
		if c.state.CompareAndSwap(callWaiting, callGone) {
			return ctx.Err()
		}
		if c.inside != nil { // its function may be running, and uses its caller's variables: wait for it to end
			select {
			case err = <-c.done:
			case <-e.w.stopped:
				err = e.closed(c.op)
			}
			break
		}
		select {
		case err = <-c.done:
		default: // c is not pooled again: the writer still has it
			return &queue.Error{Op: c.op, Subject: e.path, Reason: queue.ErrUnknownOutcome, Cause: context.Cause(ctx), Remedy: "repeat the same call: it is safe"}
		}
	}
	c.do, c.inside = nil, nil
	calls.Put(c)
	return err
}

func (e *Engine) closed(op string) error {
	return &queue.Error{Op: op, Subject: e.path, Reason: queue.ErrClosed, Remedy: "open the engine again"}
}

func (w *writer) loop() {
	defer close(w.stopped)
	defer func() {
		_ = w.raw(func() error { w.s.close(); return nil })
		_ = w.conn.Close()
		_ = w.turn.close()
	}()
	var group []*call
	for {
		select {
		case c := <-w.calls:
			group = w.gather(append(group[:0], c))
		case <-w.quit:
			for {
				select {
				case c := <-w.calls:
					c.done <- w.e.closed(c.op)
				default:
					return
				}
			}
		}
		w.commit(group)
	}
}

// gather takes what else is waiting. A lone caller never waits for others; where there are several, those
// just answered are given the processor to come back.
func (w *writer) gather(group []*call) []*call {
	for yields := 0; ; {
		more := false
	take:
		for len(group) < maxCallsPerCommit {
			select {
			case c := <-w.calls:
				group, more = append(group, c), true
			default:
				break take
			}
		}
		if len(group) < 2 || yields == 8 || (yields > 0 && !more) || len(group) == maxCallsPerCommit {
			break
		}
		runtime.Gosched()
		yields++
	}
	group = slices.DeleteFunc(group, func(c *call) bool { return !c.state.CompareAndSwap(callWaiting, callTaken) })
	slices.SortStableFunc(group, func(a, b *call) int { return cmp.Compare(a.phase, b.phase) })
	return group
}

// commit runs the group in one transaction. Where a statement fails, nothing of the group is kept, and each
// call is tried again by itself, so that one caller's trouble is not another's. Where the lock cannot be had, or
// the outcome cannot be told, all are told so.
func (w *writer) commit(group []*call) {
	if len(group) == 0 {
		return
	}
	w.turn.enter()
	answers, begun, err := w.attempt(group)
	w.turn.leave()
	switch {
	case err == nil:
		for i, c := range group {
			c.done <- answers[i]
		}
	case begun && len(group) > 1 && w.broken == nil && !errors.Is(err, queue.ErrUnknownOutcome):
		for _, c := range group {
			w.commit([]*call{c})
		}
	default:
		for _, c := range group {
			c.done <- err
		}
	}
}

// attempt gives each call's own answer, or one error for all of them: then nothing was changed, or, where it
// is ErrUnknownOutcome, that cannot be told. begun: the lock was had.
func (w *writer) attempt(group []*call) (answers []error, begun bool, err error) {
	op := group[0].op
	if w.broken != nil {
		return nil, false, w.broken
	}
	if err := w.begin(); err != nil {
		return nil, false, w.e.cfg.through.translated(op, w.e.path, err, false)
	}
	t := &txn{e: w.e, w: w, s: w.s}
	answers = make([]error, len(group))
	err = w.prepare(t)
	for i := 0; i < len(group) && err == nil; i++ {
		answers[i], err = w.run(t, group[i])
	}
	if err == nil {
		err = w.handOver(t)
	}
	if err == nil {
		err = w.raw(t.finish)
	}
	committing := err == nil
	if err == nil {
		err = w.raw(func() error { _, err := w.s.exec("COMMIT"); return err })
	}
	if err != nil {
		_ = w.raw(func() error { _, err := w.s.exec("ROLLBACK"); return err }) // fails where SQLite has done it
		w.version = -1
		for _, h := range t.handed {
			h.answer(false)
		}
		translated := w.e.cfg.through.translated(op, w.e.path, err, committing)
		if w.e.cfg.through.failStop(err) {
			w.broken = &queue.Error{Op: op, Subject: w.e.path, Reason: queue.ErrUnavailable, Cause: err,
				Detail: "an fsync failed, so nothing more is trusted to this handle", Remedy: "check the disk, then restart the process"}
		}
		return nil, true, translated
	}
	w.commits.Add(1)
	t.committed()
	return answers, true, nil
}

// raw runs fn while the connection is ours below database/sql.
func (w *writer) raw(fn func() error) error {
	return w.conn.Raw(func(any) error { return fn() })
}

// run gives the call's own answer, and the error that spoils the transaction.
func (w *writer) run(t *txn, c *call) (answer, err error) {
	if c.inside != nil {
		return w.runInside(t, c)
	}
	err = w.raw(func() error { return c.do(t) })
	var known *queue.Error
	if errors.As(err, &known) { // a refusal, made before anything was written
		return err, nil
	}
	return nil, err
}

// begin takes the file's write lock, trying again and again with short, uneven pauses: SQLite's own busy handler
// backs off to 100 ms and starves whoever waits longest.
func (w *writer) begin() error {
	exec := func() error { _, err := w.s.exec("BEGIN IMMEDIATE"); return err }
	start := time.Now()
	pause := 50 * time.Microsecond
	for warned := false; ; {
		err := w.raw(exec)
		waited := time.Since(start)
		if err == nil || w.e.cfg.through.code(err)&0xff != codeBusy || waited > w.e.cfg.BusyTimeout {
			return err
		}
		if !warned && waited > w.e.cfg.BusyTimeout/4 {
			warned = true
			w.e.cfg.Logger.Warn("a write transaction of the application or of another process holds up heartbeats and claims",
				"file", w.e.path, "waited", waited.Round(time.Millisecond), "remedy", "keep write transactions short; call remote systems outside them")
		}
		select {
		case <-time.After(pause + rand.N(pause)):
		case <-w.quit:
			return err
		}
		pause = min(2*pause, 2*time.Millisecond)
	}
}

// prepare brings what is cached up to date with what other connections have committed.
func (w *writer) prepare(t *txn) error {
	return w.raw(func() error {
		v, err := one(w.s, "PRAGMA data_version")
		if err != nil {
			return err
		}
		if v.(int64) != w.version {
			if err := t.loadView(); err != nil {
				return err
			}
			w.view, w.engine = t.view, t.engine
			if err := w.e.ids.catchUp(w.s, t.engine.sealed); err != nil {
				return err
			}
			w.e.clock.raise(w.engine.clock)
			w.version = v.(int64)
		}
		t.view, t.engine = w.view, w.engine
		t.now = w.e.clock.now()
		t.next = max(w.e.ids.lastSeq(), w.engine.floor) + 1
		return nil
	})
}
