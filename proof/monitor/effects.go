package monitor

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/twicehq/twice/ledger"
)

// made is what is kept of one effect.
type made struct {
	times     int
	confirmed time.Time // zero: it was not
	result    [8]byte   // the beginning of its hash
}

// Made says that the effect named was made just now: by a handler, or by a remote that a test keeps. The second time is
// a finding.
func (m *Monitor) Made(key ledger.Key) {
	m.note(func() []Finding {
		e := m.effects.of(key.String())
		if e.times++; e.times < 2 {
			return nil
		}
		return []Finding{{Invariant: Effect, Job: key.Job, Says: fmt.Sprintf("the effect %q was made %d times", key.Step, e.times)}}
	})
}

// Ledger gives store watched: an effect that was confirmed has one result for ever, and is not intended anew. What is
// recorded in a caller's own transaction (ledger.Tx) goes past it.
func (m *Monitor) Ledger(store ledger.Store) ledger.Store { return watchedLedger{store, m} }

type watchedLedger struct {
	ledger.Store
	m *Monitor
}

// Intend implements [ledger.Store].
func (w watchedLedger) Intend(ctx context.Context, try ledger.Try) (ledger.Entry, error) {
	entry, err := w.Store.Intend(ctx, try)
	if err == nil && entry.State != ledger.Confirmed {
		w.m.note(func() []Finding {
			if e := w.m.effects.of(try.Key().String()); w.m.stands(e) {
				return []Finding{{Invariant: Effect, Job: try.Lease.Job.ID, Queue: try.Lease.Job.Queue,
					Says: fmt.Sprintf("the effect %q was confirmed, and is %s now: it would be made again", try.Step, entry.State)}}
			}
			return nil
		})
	}
	return entry, err
}

// Confirm implements [ledger.Store].
func (w watchedLedger) Confirm(ctx context.Context, try ledger.Try, result []byte) error {
	err := w.Store.Confirm(ctx, try, result)
	if err == nil {
		sum := sha256.Sum256(result)
		w.m.note(func() []Finding {
			e := w.m.effects.of(try.Key().String())
			if w.m.stands(e) && !bytes.Equal(e.result[:], sum[:8]) {
				return []Finding{{Invariant: Effect, Job: try.Lease.Job.ID, Queue: try.Lease.Job.Queue, Says: fmt.Sprintf("the effect %q was confirmed with two results", try.Step)}}
			}
			e.confirmed, e.result = w.m.cfg.Now(), [8]byte(sum[:8])
			return nil
		})
	}
	return err
}

// stands reports whether the effect was confirmed and the ledger surely still keeps it.
func (m *Monitor) stands(e *made) bool {
	return !e.confirmed.IsZero() && m.cfg.Now().Sub(e.confirmed) < m.cfg.KeepFor
}
