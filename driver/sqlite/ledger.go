package sqlite

import (
	"bytes"
	"context"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// Ledger keeps effects in the engine's file. All methods may be called concurrently.
type Ledger struct {
	e      *Engine
	fenced bool // the jobs are in this file: an effect needs the held lease
	owns   bool // the engine was opened for it
}

var _ ledger.Store = (*Ledger)(nil)

// Ledger is the ledger beside this engine's jobs: an effect needs the held lease, in the same write.
func (e *Engine) Ledger() *Ledger { return &Ledger{e: e, fenced: true} }

// LedgerApart is the ledger in this engine's file for jobs that another engine keeps: then the unique key, the seal and
// the mark are the fence.
func (e *Engine) LedgerApart() *Ledger { return &Ledger{e: e} }

// OpenLedger opens a ledger beside the application's data, for jobs that are kept by an engine elsewhere:
// then the unique key, the seal and the mark are the fence. It fails as [Open] does.
func OpenLedger(path string, cfg Config) (*Ledger, error) {
	e, err := Open(path, cfg)
	if err != nil {
		return nil, err
	}
	return &Ledger{e: e, owns: true}, nil
}

// Close closes a ledger of [OpenLedger]; one of an engine goes with its engine.
func (l *Ledger) Close() error {
	if !l.owns {
		return nil
	}
	return l.e.Close()
}

// Atomically is [Engine.Atomically] on the ledger's file.
func (l *Ledger) Atomically(ctx context.Context, fn func(ctx context.Context, tx queue.SQL) error) error {
	return l.e.Atomically(ctx, fn)
}

// In is the ledger inside a transaction of the application on the same file, for [ledger.Within].
func (l *Ledger) In(tx queue.SQL) ledger.Tx { return &ledgerTx{l, l.e.In(tx).(*inside)} }

// Entries implements [ledger.Store].
func (l *Ledger) Entries(ctx context.Context, job queue.ID) (all []ledger.Entry, err error) {
	err = l.e.read(ctx, "entries", func(t *txn) (err error) {
		all, err = t.effects(job)
		return err
	})
	return all, err
}

// Answer implements [ledger.Store].
func (l *Ledger) Answer(ctx context.Context, by queue.Actor, key ledger.Key, happened bool, result []byte) error {
	if err := by.Check("answer"); err != nil {
		return err
	}
	return l.e.write(ctx, "answer", phaseOther, func(t *txn) error {
		e, err := t.effect(key)
		switch {
		case err != nil:
			return err
		case e == nil:
			return &queue.Error{Op: "answer", Subject: key.String(), Reason: queue.ErrNotFound, Detail: "the ledger has no such effect"}
		case e.State == ledger.Denied && !happened, e.State == ledger.Confirmed && happened && bytes.Equal(e.Result, result):
			return nil
		case e.State != ledger.Pending && e.State != ledger.Unknown:
			return ledger.RefuseState("answer", key, e.State)
		}
		e.State, e.Result = ledger.Denied, nil
		if happened {
			e.State, e.Result = ledger.Confirmed, result
		}
		e.alone, e.Answered, e.AnsweredAt = ledger.TryID{}, by, instant(t.now)
		return t.saveEffect(e)
	})
}
