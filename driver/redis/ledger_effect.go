package redis

import (
	"context"

	"github.com/redis/rueidis"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// Intend implements [ledger.Store].
func (l *Ledger) Intend(ctx context.Context, try ledger.Try) (ledger.Entry, error) {
	return l.entry(ctx, "intend", try, l.tried(ctx, intendScript, try))
}

// Confirm implements [ledger.Store].
func (l *Ledger) Confirm(ctx context.Context, try ledger.Try, result []byte) error {
	_, err := l.entry(ctx, "confirm", try, l.tried(ctx, confirmScript, try, rueidis.BinaryString(result)))
	return err
}

// Doubt implements [ledger.Store].
func (l *Ledger) Doubt(ctx context.Context, try ledger.Try) error {
	_, err := l.entry(ctx, "doubt", try, l.tried(ctx, doubtScript, try))
	return err
}

// Withdraw implements [ledger.Store].
func (l *Ledger) Withdraw(ctx context.Context, try ledger.Try) (bool, error) {
	status, r, err := l.do(ctx, "withdraw", l.tried(ctx, withdrawScript, try))
	if err != nil || status == 'Y' || status == 'N' {
		return status == 'Y', err
	}
	return false, l.refused("withdraw", try, status, r)
}

// entry runs an action that answers the entry as it stands.
func (l *Ledger) entry(ctx context.Context, op string, try ledger.Try, c call) (ledger.Entry, error) {
	status, r, err := l.do(ctx, op, c)
	if err != nil {
		return ledger.Entry{}, err
	}
	if status != 'E' {
		return ledger.Entry{}, l.refused(op, try, status, r)
	}
	return readAnswer(try.Key(), r), nil
}

// Seal implements [ledger.Store].
func (l *Ledger) Seal(ctx context.Context, job queue.ID, token int64) ([]queue.Effect, error) {
	entries, err := l.entries(ctx, "seal", l.of(sealScript, job, "", token), job)
	return ledger.List(entries), err
}

// Entries implements [ledger.Store].
func (l *Ledger) Entries(ctx context.Context, job queue.ID) ([]ledger.Entry, error) {
	return l.entries(ctx, "entries", l.of(entriesScript, job, "", 0), job)
}

// Answer implements [ledger.Store].
func (l *Ledger) Answer(ctx context.Context, by queue.Actor, key ledger.Key, happened bool, result []byte) error {
	if err := by.Check("answer"); err != nil {
		return err
	}
	status, r, err := l.do(ctx, "answer", l.of(answerScript, key.Job, key.Step, 0, flag(happened), by.Name, by.Why, rueidis.BinaryString(result)))
	switch {
	case err != nil || status == 'E':
		return err
	case status == 'T':
		return ledger.RefuseState("answer", key, stateNamed(r.uint(1)))
	}
	return &queue.Error{Op: "answer", Subject: key.String(), Reason: queue.ErrNotFound}
}
