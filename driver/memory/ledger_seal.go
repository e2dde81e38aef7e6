package memory

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

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

// listed gives what the ledger has of a job that ends: whoever calls it holds the engine, so that nothing is added meanwhile.
func (l *Ledger) listed(id queue.ID) []queue.Effect {
	l.mu.Lock()
	defer l.mu.Unlock()
	return ledger.List(l.entries(id))
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
