package explore_test

import (
	"context"
	"testing"
	"time"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/proof/explore"
	"github.com/twicehq/twice/proof/explore/lives"
	"github.com/twicehq/twice/queue"
)

type asked = func(context.Context, []queue.ID) ([]bool, error)

// brokenLedger is the memory ledger with one method changed: a nil function leaves it as it is.
type brokenLedger struct {
	lives.OnMemory
	now    func() time.Time
	sealed int64 // by the last seal
	high   int64 // by the highest
	mark   time.Time

	effect   func(*brokenLedger, queue.Lease, string, bool) (bool, error)
	seal     func(*brokenLedger, queue.ID, int64) ([]queue.Effect, error)
	moveMark func(*brokenLedger, time.Time) error
	sweep    func(*brokenLedger, asked) (int, error)
	horizon  int64 // another than the bounds'; 0: the same
}

func (l *brokenLedger) Effect(ctx context.Context, step string, dry bool) (bool, error) {
	if l.effect != nil {
		h, _ := queue.HoldingFrom(ctx)
		return l.effect(l, h.Lease, step, dry)
	}
	return l.OnMemory.Effect(ctx, step, dry)
}

// as makes an effect under that lease.
func (l *brokenLedger) as(lease queue.Lease, step string, dry bool) (bool, error) {
	return l.OnMemory.Effect(queue.WithHolding(ctx, &queue.Holding{Lease: lease}), step, dry)
}

func (l *brokenLedger) Seal(ctx context.Context, id queue.ID, token int64) ([]queue.Effect, error) {
	l.sealed, l.high = token, max(l.high, token)
	if l.seal != nil {
		return l.seal(l, id, token)
	}
	return l.OnMemory.Seal(ctx, id, token)
}

func (l *brokenLedger) MoveMark(ctx context.Context, t time.Time) error {
	l.mark = t
	if l.moveMark != nil {
		return l.moveMark(l, t)
	}
	return l.OnMemory.MoveMark(ctx, t)
}

func (l *brokenLedger) Sweep(ctx context.Context, limit int, forgotten func(context.Context, []queue.ID) ([]bool, error)) (int, error) {
	if l.sweep != nil {
		return l.sweep(l, forgotten)
	}
	return l.OnMemory.Sweep(ctx, limit, forgotten)
}

// clear forgets all but the mark, and counts the jobs that there were.
func (l *brokenLedger) clear() int {
	entries, _ := l.Entries(ctx, theJob)
	_, err := l.as(queue.Lease{Job: queue.Job{ID: theJob}, Token: 0, FreshAt: l.now()}, "probe", true)
	l.OnMemory = lives.LedgerOf(1, l.now)
	_ = l.OnMemory.MoveMark(ctx, l.mark)
	if len(entries) == 0 && err == nil {
		return 0
	}
	return 1
}

var theJob = queue.NewID("k", "a")

func gone(forgotten asked) bool {
	is, err := forgotten(ctx, []queue.ID{theJob})
	return err == nil && is[0]
}

// ledgerMutants, each with the bounds in which it is looked for.
var ledgerMutants = []struct {
	name   string
	bounds int // of books
	with   brokenLedger
}{
	{"a seal does not bar", 0, brokenLedger{seal: func(l *brokenLedger, id queue.ID, _ int64) ([]queue.Effect, error) {
		entries, err := l.Entries(ctx, id)
		return ledger.List(entries), err
	}}},
	{"a seal bars only tokens below its own", 0, brokenLedger{seal: func(l *brokenLedger, id queue.ID, token int64) ([]queue.Effect, error) {
		return l.OnMemory.Seal(ctx, id, token-1)
	}}},
	{"a seal of a lower token takes the place of a higher one", 0, brokenLedger{effect: func(l *brokenLedger, lease queue.Lease, step string, dry bool) (bool, error) {
		if lease.Token > l.sealed && lease.Token <= l.high {
			lease.Token = l.high + 1
		}
		return l.as(lease, step, dry)
	}}},
	{"what was made is not listed by a seal", 0, brokenLedger{seal: func(l *brokenLedger, id queue.ID, token int64) ([]queue.Effect, error) {
		_, err := l.OnMemory.Seal(ctx, id, token)
		return nil, err
	}}},
	{"a try that is barred is refused what is recorded", 0, brokenLedger{effect: func(l *brokenLedger, lease queue.Lease, step string, dry bool) (bool, error) {
		if _, err := l.as(lease, "probe", true); err != nil {
			return false, err
		}
		return l.as(lease, step, dry)
	}}},
	{"an effect does not ask for the mark", 1, brokenLedger{effect: func(l *brokenLedger, lease queue.Lease, step string, dry bool) (bool, error) {
		if step != "probe" && !lease.FreshAt.After(l.mark) {
			lease.FreshAt = l.now()
		}
		return l.as(lease, step, dry)
	}}},
	{"the mark is not kept beside the ledger", 1, brokenLedger{moveMark: func(*brokenLedger, time.Time) error { return nil }}},
	{"the mark beside the ledger goes beyond the horizon", 2, brokenLedger{horizon: 1}},
	{"a repeat does not keep the record alive", 1, brokenLedger{effect: func(l *brokenLedger, lease queue.Lease, step string, dry bool) (bool, error) {
		entries, _ := l.Entries(ctx, theJob)
		for _, e := range entries {
			if e.Key.Step == step {
				return false, nil
			}
		}
		return l.as(lease, step, dry)
	}}},
	{"what the engine forgot is swept, however fresh", 1, brokenLedger{sweep: func(l *brokenLedger, forgotten asked) (int, error) {
		if !gone(forgotten) {
			return 0, nil
		}
		return l.clear(), nil
	}}},
	{"a seal does not count as fresh", 1, brokenLedger{sweep: func(l *brokenLedger, forgotten asked) (int, error) {
		entries, _ := l.Entries(ctx, theJob)
		for _, e := range entries {
			if e.FreshAt.After(l.mark) {
				return 0, nil
			}
		}
		if len(entries) == 0 || !gone(forgotten) {
			return l.OnMemory.Sweep(ctx, 10, forgotten)
		}
		return l.clear(), nil
	}}},
	{"what the engine still has is swept", 1, brokenLedger{sweep: func(l *brokenLedger, _ asked) (int, error) {
		return l.OnMemory.Sweep(ctx, 10, func(_ context.Context, ids []queue.ID) ([]bool, error) {
			all := make([]bool, len(ids))
			for i := range all {
				all[i] = true
			}
			return all, nil
		})
	}}},
	{"what came after the engine was asked is swept as well", 1, brokenLedger{sweep: func(l *brokenLedger, forgotten asked) (int, error) {
		old := false
		_, err := l.OnMemory.Sweep(ctx, 10, func(ctx context.Context, ids []queue.ID) ([]bool, error) {
			old = gone(forgotten)
			return make([]bool, len(ids)), nil
		})
		if !old || err != nil {
			return 0, err
		}
		return l.clear(), nil
	}}},
}

func makeBroken(with brokenLedger, b explore.Bounds) explore.MakeLedger {
	if with.horizon != 0 {
		b.Horizon = with.horizon
	}
	return func(now func() time.Time) (explore.Ledger, error) {
		l := with
		l.OnMemory, l.now = lives.LedgerOf(b.Horizon, now), now
		return &l, nil
	}
}

// Every ledger that is broken on purpose is found, and told in words.
func TestBrokenLedgersAreFound(t *testing.T) {
	for _, m := range ledgerMutants {
		t.Run(m.name, func(t *testing.T) {
			b := books[m.bounds].Bounds
			report, err := explore.Books(makeBroken(m.with, b), b)
			if err != nil {
				t.Fatal(err)
			}
			if report.Found == nil {
				t.Fatalf("it is not found on %d rows", report.Rows)
			}
			t.Logf("\n%s", report.Found)
		})
	}
}
