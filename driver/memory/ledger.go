package memory

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// LedgerConfig sets a ledger up. Zero fields mean the defaults of their comments.
type LedgerConfig struct {
	Now     func() time.Time // time.Now
	KeepFor time.Duration    // ledger.KeepFor: how far the mark stays behind the clock
	// Under runs a guarded write while the lease is held, as one step with whatever could replace or end
	// it, and fails with ErrLeaseLost where it is not held: jobs and ledger in one store. nil: the ledger
	// stands by itself, and seal and mark are its fence.
	Under func(lease queue.Lease, write func() error) error
}

// Ledger is a [ledger.Store] in memory, and what the contract means, as one can read it. All that it
// holds is behind one lock, so each method is one transaction. The zero Ledger cannot be used.
type Ledger struct {
	config LedgerConfig

	mu   sync.Mutex
	mark time.Time
	jobs map[queue.ID]*effects
}

// effects is what the ledger holds of one job.
type effects struct {
	steps  map[string]*effect
	sealed bool
	seal   int64
	sealAt time.Time
}

// effect is an entry, and which try may still withdraw it.
type effect struct {
	ledger.Entry
	alone ledger.TryID // the try that wrote the pending entry, until any other sees it; then zero
}

var _ ledger.Store = (*Ledger)(nil)

// NewLedger makes an empty ledger.
func NewLedger(config LedgerConfig) *Ledger {
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.KeepFor == 0 {
		config.KeepFor = ledger.KeepFor
	}
	return &Ledger{config: config, jobs: map[queue.ID]*effects{}}
}

func (l *Ledger) now() time.Time { return l.config.Now().UTC().Truncate(queue.Resolution) }

// job gives what is held of a job, to be written to.
func (l *Ledger) job(id queue.ID) *effects {
	if l.jobs[id] == nil {
		l.jobs[id] = &effects{steps: map[string]*effect{}}
	}
	return l.jobs[id]
}

// find gives an entry; nil where there is none.
func (l *Ledger) find(key ledger.Key) *effect {
	if j := l.jobs[key.Job]; j != nil {
		return j.steps[key.Step]
	}
	return nil
}

// guarded runs write unless the try is refused: check and write are one step.
func (l *Ledger) guarded(ctx context.Context, op string, try ledger.Try, write func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	locked := func() error {
		l.mu.Lock()
		defer l.mu.Unlock()
		if err := l.refusal(op, try); err != nil {
			return err
		}
		return write()
	}
	if l.config.Under != nil {
		return l.config.Under(try.Lease, locked)
	}
	return locked()
}

// refusal says why a try makes no effect any more: its job was sealed, or is too old.
func (l *Ledger) refusal(op string, try ledger.Try) error {
	if j := l.jobs[try.Lease.Job.ID]; j != nil && j.sealed && try.Lease.Token <= j.seal {
		return ledger.RefuseSealed(op, try, j.seal)
	}
	if !l.mark.IsZero() && !try.Lease.FreshAt.After(l.mark) {
		return ledger.RefuseStale(op, try, l.mark)
	}
	return nil
}

// see leaves a try's token and freshness on an entry: it is not swept under that try's feet.
func (e *effect) see(try ledger.Try) {
	e.Token = max(e.Token, try.Lease.Token)
	if try.Lease.FreshAt.After(e.FreshAt) {
		e.FreshAt = try.Lease.FreshAt
	}
}

// answer is the entry as it stands, in bytes of the caller's own.
func (l *Ledger) answer(e *effect, try ledger.Try) ledger.Entry {
	out := e.Entry
	out.Result = slices.Clone(e.Result)
	out.Now = l.now()
	out.Mine = e.State == ledger.Pending && e.alone == try.ID && !isZero(e.alone)
	return out
}

func isZero(id ledger.TryID) bool { return id == ledger.TryID{} }

// Intend implements [ledger.Store].
func (l *Ledger) Intend(ctx context.Context, try ledger.Try) (ledger.Entry, error) {
	var out ledger.Entry
	refused := l.guarded(ctx, "intend", try, func() error {
		e := l.find(try.Key())
		switch {
		case e != nil && e.Differs(try):
			return ledger.RefuseOther("intend", try, e.Entry)
		case e == nil:
			e = &effect{Entry: ledger.Entry{Key: try.Key(), Fingerprint: try.Fingerprint}}
			l.job(try.Lease.Job.ID).steps[try.Step] = e
			fallthrough
		case e.State == ledger.Denied:
			e.State, e.FirstSentAt, e.alone = ledger.Pending, l.now(), try.ID
		case e.alone != try.ID:
			e.alone = ledger.TryID{} // another sees it: nobody can withdraw it any more
		}
		e.see(try)
		out = l.answer(e, try)
		return nil
	})
	if refused == nil || ctx.Err() != nil {
		return out, refused
	}
	return l.recorded(try, refused)
}

// recorded gives the confirmed entry to a try that is refused; else the refusal.
func (l *Ledger) recorded(try ledger.Try, refused error) (ledger.Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.find(try.Key()); e != nil && e.State == ledger.Confirmed && !e.Differs(try) {
		return l.answer(e, try), nil
	}
	return ledger.Entry{}, refused
}

// Confirm implements [ledger.Store].
func (l *Ledger) Confirm(ctx context.Context, try ledger.Try, result []byte) error {
	return l.guarded(ctx, "confirm", try, func() error {
		e := l.find(try.Key())
		switch {
		case e == nil:
			return ledger.RefuseState("confirm", try.Key(), "")
		case e.State == ledger.Confirmed && !bytes.Equal(e.Result, result):
			return ledger.RefuseState("confirm", try.Key(), e.State)
		}
		e.State, e.Result, e.alone = ledger.Confirmed, slices.Clone(result), ledger.TryID{}
		e.see(try)
		return nil
	})
}

// Doubt implements [ledger.Store].
func (l *Ledger) Doubt(ctx context.Context, try ledger.Try) error {
	return l.guarded(ctx, "doubt", try, func() error {
		e := l.find(try.Key())
		if e == nil || e.State != ledger.Pending && e.State != ledger.Unknown {
			return ledger.RefuseState("doubt", try.Key(), e.state())
		}
		e.State, e.alone = ledger.Unknown, ledger.TryID{}
		e.see(try)
		return nil
	})
}

func (e *effect) state() ledger.State {
	if e == nil {
		return ""
	}
	return e.State
}

// Withdraw implements [ledger.Store].
func (l *Ledger) Withdraw(ctx context.Context, try ledger.Try) (bool, error) {
	gone := false
	err := l.guarded(ctx, "withdraw", try, func() error {
		e := l.find(try.Key())
		switch {
		case e == nil:
			gone = true
		case e.State != ledger.Pending || e.alone != try.ID || isZero(e.alone):
		case e.DeniedBefore(): // a person's word stays listed
			e.State, e.alone, gone = ledger.Denied, ledger.TryID{}, true
		default:
			delete(l.jobs[try.Lease.Job.ID].steps, try.Step)
			gone = true
		}
		return nil
	})
	return gone, err
}

// Seal implements [ledger.Store].
func (l *Ledger) Seal(ctx context.Context, id queue.ID, token int64) ([]queue.Effect, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.job(id)
	j.sealed, j.seal, j.sealAt = true, max(j.seal, token), l.now()
	return ledger.List(l.entries(id)), nil
}

// Entries implements [ledger.Store].
func (l *Ledger) Entries(ctx context.Context, id queue.ID) ([]ledger.Entry, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.entries(id), nil
}

func (l *Ledger) entries(id queue.ID) []ledger.Entry {
	j := l.jobs[id]
	if j == nil {
		return nil
	}
	var all []ledger.Entry
	for _, step := range slices.Sorted(maps.Keys(j.steps)) {
		all = append(all, l.answer(j.steps[step], ledger.Try{}))
	}
	return all
}

// Answer implements [ledger.Store].
func (l *Ledger) Answer(ctx context.Context, by queue.Actor, key ledger.Key, happened bool, result []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := by.Check("answer"); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.find(key)
	switch {
	case e == nil:
		return &queue.Error{Op: "answer", Subject: key.String(), Reason: queue.ErrNotFound}
	case e.State == ledger.Denied && !happened, e.State == ledger.Confirmed && happened && bytes.Equal(e.Result, result):
		return nil
	case e.State != ledger.Pending && e.State != ledger.Unknown:
		return ledger.RefuseState("answer", key, e.State)
	}
	e.State, e.Result = ledger.Denied, nil
	if happened {
		e.State, e.Result = ledger.Confirmed, slices.Clone(result)
	}
	e.alone, e.Answered, e.AnsweredAt = ledger.TryID{}, by, l.now()
	return nil
}

// MoveMark implements [ledger.Store].
func (l *Ledger) MoveMark(ctx context.Context, t time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if most := l.now().Add(-l.config.KeepFor); t.After(most) {
		t = most
	}
	if t = t.UTC().Truncate(queue.Resolution); t.After(l.mark) {
		l.mark = t
	}
	return nil
}

// askAtOnce is how many jobs a sweep asks the engine about at a time.
const askAtOnce = 100

// Sweep implements [ledger.Store].
func (l *Ledger) Sweep(ctx context.Context, limit int, forgotten func(context.Context, []queue.ID) ([]bool, error)) (int, error) {
	swept, over := 0, l.over()
	for len(over) > 0 && swept < limit {
		n := min(len(over), limit-swept, askAtOnce)
		ids := make([]queue.ID, n)
		for i, j := range over[:n] {
			ids[i] = j.id
		}
		if err := ctx.Err(); err != nil {
			return swept, err
		}
		gone, err := forgotten(ctx, ids)
		if err != nil {
			return swept, err
		}
		if len(gone) != n {
			return swept, &queue.Error{Op: "sweep", Subject: "ledger", Reason: queue.ErrInvalid, Detail: fmt.Sprintf("asked about %d jobs, the engine answered for %d", n, len(gone))}
		}
		for i, j := range over[:n] {
			if gone[i] && l.drop(j) {
				swept++
			}
		}
		over = over[n:]
	}
	return swept, nil
}

// old is a job that may be swept, and the highest token seen there when it was looked at.
type old struct {
	id    queue.ID
	token int64
}

// over gives the jobs that may be swept as far as the ledger knows.
func (l *Ledger) over() []old {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []old
	for id, j := range l.jobs {
		if token, ok := j.over(l.mark); ok {
			all = append(all, old{id, token})
		}
	}
	slices.SortFunc(all, func(a, b old) int { return bytes.Compare(a.id[:], b.id[:]) })
	return all
}

// over reports whether all that is held of a job is at or before the mark, and the highest token there.
func (j *effects) over(mark time.Time) (int64, bool) {
	token := j.seal
	if j.sealed && j.sealAt.After(mark) {
		return 0, false
	}
	for _, e := range j.steps {
		if e.FreshAt.After(mark) {
			return 0, false
		}
		token = max(token, e.Token)
	}
	return token, !mark.IsZero()
}

// drop deletes what is held of a job, unless more came since it was looked at.
func (l *Ledger) drop(o old) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.jobs[o.id]
	if j == nil {
		return false
	}
	if token, ok := j.over(l.mark); !ok || token > o.token {
		return false
	}
	delete(l.jobs, o.id)
	return true
}

// LedgerTx is a transaction of somebody who keeps data in memory, for tests of what uses ledger.Within.
type LedgerTx struct {
	l       *Ledger
	try     ledger.Try
	steps   map[string][]byte
	changes []func()
}

var _ ledger.Tx = (*LedgerTx)(nil)

// Begin opens a transaction. Until Commit nobody sees what it does.
func (l *Ledger) Begin() *LedgerTx { return &LedgerTx{l: l, steps: map[string][]byte{}} }

// Change adds a change of the caller's data: it is made by Commit, or never.
func (t *LedgerTx) Change(change func()) { t.changes = append(t.changes, change) }

// Recorded implements [ledger.Tx].
func (t *LedgerTx) Recorded(ctx context.Context, try ledger.Try) (ledger.Entry, bool, error) {
	if result, ok := t.steps[try.Step]; ok && t.try.Lease.Job.ID == try.Lease.Job.ID {
		return ledger.Entry{Key: try.Key(), State: ledger.Confirmed, Result: slices.Clone(result), Now: t.l.now()}, true, nil
	}
	var out ledger.Entry
	err := t.l.guarded(ctx, "effect", try, func() error {
		e := t.l.find(try.Key())
		switch {
		case e == nil:
			return nil
		case e.State != ledger.Confirmed:
			return ledger.RefuseState("effect", try.Key(), e.State)
		case e.Differs(try):
			return ledger.RefuseOther("effect", try, e.Entry)
		}
		e.see(try)
		out = t.l.answer(e, try)
		return nil
	})
	if err != nil && ctx.Err() == nil {
		out, err = t.l.recorded(try, err)
	}
	return out, out.State == ledger.Confirmed, err
}

// Record implements [ledger.Tx]. A transaction is of one attempt.
func (t *LedgerTx) Record(ctx context.Context, try ledger.Try, result []byte) error {
	if len(t.steps) > 0 && t.try.Lease.ID != try.Lease.ID {
		return &queue.Error{Op: "record", Subject: try.Key().String(), Reason: queue.ErrInvalid, Detail: "a transaction is of one attempt"}
	}
	err := t.l.guarded(ctx, "record", try, func() error { return t.free(try.Key()) })
	if err == nil {
		t.try, t.steps[try.Step] = try, slices.Clone(result)
	}
	return err
}

// free fails where the effect has an entry already.
func (t *LedgerTx) free(key ledger.Key) error {
	if e := t.l.find(key); e != nil {
		return ledger.RefuseState("record", key, e.State)
	}
	return nil
}

// Commit makes everything at once, or fails and makes nothing.
func (t *LedgerTx) Commit(ctx context.Context) error {
	commit := func() error {
		id := t.try.Lease.Job.ID
		for step := range t.steps {
			if err := t.free(ledger.Key{Job: id, Step: step}); err != nil {
				return err
			}
		}
		for step, result := range t.steps {
			e := &effect{Entry: ledger.Entry{Key: ledger.Key{Job: id, Step: step}, State: ledger.Confirmed, Fingerprint: t.try.Fingerprint, Result: result, FirstSentAt: t.l.now()}}
			e.see(t.try)
			t.l.job(id).steps[step] = e
		}
		for _, change := range t.changes {
			change()
		}
		t.steps, t.changes = map[string][]byte{}, nil
		return nil
	}
	if len(t.steps) > 0 {
		return t.l.guarded(ctx, "commit", t.try, commit)
	}
	t.l.mu.Lock()
	defer t.l.mu.Unlock()
	return commit()
}

// Rollback forgets everything.
func (t *LedgerTx) Rollback() { t.steps, t.changes = map[string][]byte{}, nil }
