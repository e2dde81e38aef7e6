package memory

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/ledger/ledgertest"
	"github.com/twicehq/twice/queue"
)

// beside is the ledger by itself, with transactions for the suite.
type beside struct {
	ledger.Store
	begin func() *LedgerTx
}

func (b beside) Transact(ctx context.Context, fn func(ledger.Tx) error) error {
	tx := b.begin()
	if err := fn(tx); err != nil {
		tx.Rollback()
		return err
	}
	return tx.Commit(ctx)
}

// shared is the ledger under the engine's lock, with leases of that engine.
type shared struct {
	beside
	*ledgertest.Leases
}

func newShared(t *testing.T, clock *ledgertest.Clock) shared {
	engine, err := New(Config{Now: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	l := NewLedger(LedgerConfig{Now: clock.Now, Under: engine.Under})
	return shared{beside{l, l.Begin}, &ledgertest.Leases{Engine: engine}}
}

func TestLedgerBesideConformance(t *testing.T) {
	ledgertest.Run(t, func(t *testing.T, opt ledgertest.Options) ledger.Store {
		l := NewLedger(LedgerConfig{Now: opt.Clock.Now})
		return beside{l, l.Begin}
	})
}

func TestLedgerSharedConformance(t *testing.T) {
	ledgertest.Run(t, func(t *testing.T, opt ledgertest.Options) ledger.Store { return newShared(t, opt.Clock) })
}

// broken is a ledger with one thing wrong; what is not set is right.
type broken struct {
	*Ledger
	intend   func(*Ledger, context.Context, ledger.Try) (ledger.Entry, error)
	confirm  func(*Ledger, context.Context, ledger.Try, []byte) error
	withdraw func(*Ledger, context.Context, ledger.Try) (bool, error)
	seal     func(*Ledger, context.Context, queue.ID, int64) ([]queue.Effect, error)
	answer   func(*Ledger, ledger.Key, bool)
	mark     func(*Ledger, time.Time)
	sweep    func(*Ledger, context.Context, int, func(context.Context, []queue.ID) ([]bool, error)) (int, error)
}

func (b broken) Intend(ctx context.Context, try ledger.Try) (ledger.Entry, error) {
	if b.intend != nil {
		return b.intend(b.Ledger, ctx, try)
	}
	return b.Ledger.Intend(ctx, try)
}

func (b broken) Confirm(ctx context.Context, try ledger.Try, result []byte) error {
	if b.confirm != nil {
		return b.confirm(b.Ledger, ctx, try, result)
	}
	return b.Ledger.Confirm(ctx, try, result)
}

func (b broken) Withdraw(ctx context.Context, try ledger.Try) (bool, error) {
	if b.withdraw != nil {
		return b.withdraw(b.Ledger, ctx, try)
	}
	return b.Ledger.Withdraw(ctx, try)
}

func (b broken) Seal(ctx context.Context, id queue.ID, token int64) ([]queue.Effect, error) {
	if b.seal != nil {
		return b.seal(b.Ledger, ctx, id, token)
	}
	return b.Ledger.Seal(ctx, id, token)
}

func (b broken) Answer(ctx context.Context, by queue.Actor, key ledger.Key, happened bool, result []byte) error {
	if b.answer != nil {
		b.answer(b.Ledger, key, happened)
	}
	return b.Ledger.Answer(ctx, by, key, happened, result)
}

func (b broken) MoveMark(ctx context.Context, t time.Time) error {
	if b.mark != nil {
		b.mark(b.Ledger, t)
		return nil
	}
	return b.Ledger.MoveMark(ctx, t)
}

func (b broken) Sweep(ctx context.Context, limit int, forgotten func(context.Context, []queue.ID) ([]bool, error)) (int, error) {
	if b.sweep != nil {
		return b.sweep(b.Ledger, ctx, limit, forgotten)
	}
	return b.Ledger.Sweep(ctx, limit, forgotten)
}

// change lets a mutant reach into the ledger, under its lock, after a call that went well.
func change(l *Ledger, key ledger.Key, f func(e *effect)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.find(key); e != nil {
		f(e)
	}
}

func (l *Ledger) refusalOf(try ledger.Try) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refusal("", try)
}

// forget deletes a pending entry if it may.
func forget(l *Ledger, key ledger.Key, may func(e *effect) bool) (gone bool, _ error) {
	change(l, key, func(e *effect) {
		if e.State == ledger.Pending && may(e) {
			delete(l.jobs[key.Job].steps, key.Step)
			gone = true
		}
	})
	return gone, nil
}

var mutants = []struct {
	name  string
	fails string // a rule that it must fail
	broken
}{
	{"intend-always-mine", "intend/not-mine", broken{intend: func(l *Ledger, ctx context.Context, t ledger.Try) (ledger.Entry, error) {
		e, err := l.Intend(ctx, t)
		e.Mine = e.State == ledger.Pending
		return e, err
	}}},
	{"repeat-is-another-try", "intend/repeated", broken{intend: func(l *Ledger, ctx context.Context, t ledger.Try) (ledger.Entry, error) {
		t.ID = ledger.NewTryID()
		return l.Intend(ctx, t)
	}}},
	{"repeat-does-not-refresh", "sweep/refreshed", broken{intend: func(l *Ledger, ctx context.Context, t ledger.Try) (ledger.Entry, error) {
		var was *effect
		change(l, t.Key(), func(e *effect) { c := *e; was = &c })
		e, err := l.Intend(ctx, t)
		if was != nil {
			change(l, t.Key(), func(e *effect) { e.FreshAt = was.FreshAt })
		}
		return e, err
	}}},
	{"first-sent-moves", "intend/not-mine", broken{intend: func(l *Ledger, ctx context.Context, t ledger.Try) (ledger.Entry, error) {
		change(l, t.Key(), func(e *effect) { e.FirstSentAt = l.now() })
		return l.Intend(ctx, t)
	}}},
	{"fingerprints-not-compared", "intend/conflict", broken{intend: func(l *Ledger, ctx context.Context, t ledger.Try) (ledger.Entry, error) {
		t.Fingerprint = 0
		return l.Intend(ctx, t)
	}}},
	{"confirm-overwrites", "confirm/stands", broken{confirm: func(l *Ledger, ctx context.Context, t ledger.Try, result []byte) error {
		change(l, t.Key(), func(e *effect) { e.State = ledger.Pending })
		return l.Confirm(ctx, t, result)
	}}},
	{"confirm-checks-before", "race/seal", broken{confirm: func(l *Ledger, ctx context.Context, t ledger.Try, result []byte) error {
		if err := l.guarded(ctx, "confirm", t, func() error { return nil }); err != nil {
			return err
		}
		for end := time.Now().Add(time.Second); l.refusalOf(t) == nil && time.Now().Before(end); {
			time.Sleep(100 * time.Microsecond) // here it is sealed
		}
		change(l, t.Key(), func(e *effect) { e.State, e.Result = ledger.Confirmed, result })
		return nil
	}}},
	{"withdraw-what-is-pending", "withdraw/seen", broken{withdraw: func(l *Ledger, _ context.Context, t ledger.Try) (bool, error) {
		return forget(l, t.Key(), func(*effect) bool { return true })
	}}},
	{"withdraw-unless-a-later-token-saw", "withdraw/seen-by-a-zombie", broken{withdraw: func(l *Ledger, _ context.Context, t ledger.Try) (bool, error) {
		return forget(l, t.Key(), func(e *effect) bool { return e.Token == t.Lease.Token })
	}}},
	{"withdraw-forgets-who-denied", "withdraw/denied-again", broken{withdraw: func(l *Ledger, _ context.Context, t ledger.Try) (bool, error) {
		return forget(l, t.Key(), func(e *effect) bool { return e.alone == t.ID })
	}}},
	{"withdraw-after-the-seal", "seal/bars", broken{withdraw: func(l *Ledger, ctx context.Context, t ledger.Try) (bool, error) {
		t.Lease.Token = 1 << 40
		return l.Withdraw(ctx, t)
	}}},
	{"seal-bars-that-token-only", "seal/bars-lower", broken{intend: func(l *Ledger, ctx context.Context, t ledger.Try) (ledger.Entry, error) {
		l.mu.Lock()
		j := l.job(t.Lease.Job.ID)
		was := *j
		j.sealed = j.sealed && j.seal == t.Lease.Token
		l.mu.Unlock()
		defer func() { l.mu.Lock(); j.sealed = was.sealed; l.mu.Unlock() }()
		return l.Intend(ctx, t)
	}}},
	{"seal-goes-back", "seal/bars-lower", broken{seal: func(l *Ledger, ctx context.Context, id queue.ID, token int64) ([]queue.Effect, error) {
		list, err := l.Seal(ctx, id, token)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.jobs[id].seal = token
		return list, err
	}}},
	{"seal-hides-the-unknown", "seal/lists", broken{seal: func(l *Ledger, ctx context.Context, id queue.ID, token int64) ([]queue.Effect, error) {
		list, err := l.Seal(ctx, id, token)
		return slices.DeleteFunc(list, func(e queue.Effect) bool { return e.State == queue.EffectUnknown }), err
	}}},
	{"seal-without-time", "sweep/seal-outlives", broken{seal: func(l *Ledger, ctx context.Context, id queue.ID, token int64) ([]queue.Effect, error) {
		list, err := l.Seal(ctx, id, token)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.jobs[id].sealAt = time.Time{}
		return list, err
	}}},
	{"answer-overrules-what-is-known", "answer/once", broken{answer: func(l *Ledger, key ledger.Key, happened bool) {
		change(l, key, func(e *effect) { e.State = ledger.Pending })
	}}},
	{"mark-goes-back", "mark/never-back", broken{mark: func(l *Ledger, t time.Time) { l.mark = t }}},
	{"mark-goes-anywhere", "mark/never-too-far", broken{mark: func(l *Ledger, t time.Time) { l.mark = t }}},
	{"mark-bars-only-below", "mark/refuses", broken{mark: func(l *Ledger, t time.Time) { l.mark = t.Add(-queue.Resolution) }}},
	{"sweep-by-id", "sweep/came-back", broken{sweep: func(l *Ledger, ctx context.Context, limit int, forgotten func(context.Context, []queue.ID) ([]bool, error)) (int, error) {
		n := 0
		for _, o := range l.over() {
			if gone, err := forgotten(ctx, []queue.ID{o.id}); err == nil && gone[0] && n < limit {
				delete(l.jobs, o.id)
				n++
			}
		}
		return n, nil
	}}},
	{"sweep-by-freshness-alone", "sweep/no-higher", broken{sweep: func(l *Ledger, ctx context.Context, limit int, forgotten func(context.Context, []queue.ID) ([]bool, error)) (int, error) {
		n := 0
		for _, o := range l.over() {
			if gone, err := forgotten(ctx, []queue.ID{o.id}); err == nil && gone[0] && n < limit {
				if o.token = 1 << 40; l.drop(o) {
					n++
				}
			}
		}
		return n, nil
	}}},
	{"sweep-asks-no-engine", "sweep/forgotten-only", broken{sweep: func(l *Ledger, ctx context.Context, limit int, _ func(context.Context, []queue.ID) ([]bool, error)) (int, error) {
		return l.Sweep(ctx, limit, func(_ context.Context, ids []queue.ID) ([]bool, error) {
			return slices.Repeat([]bool{true}, len(ids)), nil
		})
	}}},
	{"sweep-stops-at-the-living", "sweep/forgotten-only", broken{sweep: func(l *Ledger, ctx context.Context, limit int, forgotten func(context.Context, []queue.ID) ([]bool, error)) (int, error) {
		asked := 0
		return l.Sweep(ctx, limit, func(ctx context.Context, ids []queue.ID) ([]bool, error) {
			if asked += len(ids); asked > limit {
				return make([]bool, len(ids)), nil
			}
			return forgotten(ctx, ids)
		})
	}}},
}

// The suite is tested too: each ledger that is broken on purpose fails the rule that is about it.
func TestLedgerSuiteFindsWhatIsBroken(t *testing.T) {
	rules := ledgertest.Rules()
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			i := slices.IndexFunc(rules, func(r ledgertest.Rule) bool { return r.Name == m.fails })
			if i < 0 {
				t.Fatalf("no rule %s", m.fails)
			}
			for range 20 { // races need a few
				clock := ledgertest.NewClock()
				b := m.broken
				b.Ledger = NewLedger(LedgerConfig{Now: clock.Now})
				if tried, said := rules[i].Try(b, clock); !tried {
					t.Fatalf("%s was not tried", m.fails)
				} else if len(said) > 0 {
					t.Log(strings.Join(said, "\n"))
					return
				}
			}
			t.Errorf("%s holds for it: %s", m.fails, rules[i].Says)
		})
	}
}

func TestLedgerTxMakesChangesWithTheEntryOrNotAtAll(t *testing.T) {
	ctx := context.Background()
	l := NewLedger(LedgerConfig{})
	lease := queue.Lease{Job: queue.Job{ID: queue.NewID("k", "j")}, Token: 1, FreshAt: time.Now()}
	ctx = queue.WithHolding(ctx, &queue.Holding{Lease: lease})
	paid := 0
	for _, commit := range []bool{false, true, true} {
		tx := l.Begin()
		if _, err := ledger.Within(ctx, tx, "pay", func(context.Context) (int, error) {
			tx.Change(func() { paid++ })
			return 1, nil
		}); err != nil {
			t.Fatal(err)
		}
		if !commit {
			tx.Rollback()
			continue
		}
		if err := tx.Commit(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if paid != 1 {
		t.Errorf("paid %d times", paid)
	}
}
