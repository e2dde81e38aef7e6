package proof_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/proof"
)

// The control of each sort: a handler that is wrong in one way alone is found by the sorts that do just that to it,
// and by no other: none of them is for show. A redrive makes a call fail first, so it finds what a failing call does.
func TestSortsFindWhatOnlyTheyCan(t *testing.T) {
	for _, c := range []struct {
		name   string
		handle func(*yard, context.Context, job) error
		by     []proof.Sort
	}{
		{"takes a marker for a sign that another is at work", marksAndActs, []proof.Sort{proof.Crash, proof.SecondCrash}},
		{"takes a lost reply for a no", func(y *yard, ctx context.Context, _ job) error {
			err := y.act(ctx, "act", "k")
			if errors.Is(err, proof.ErrLost) {
				err = y.act(ctx, "act", "another")
			}
			return err
		}, []proof.Sort{proof.Lost, proof.Redrive}},
		{"swallows an error", func(y *yard, ctx context.Context, _ job) error {
			if err := y.act(ctx, "act", "k"); err != nil && !errors.Is(err, proof.ErrRefused) {
				return err
			}
			return nil
		}, []proof.Sort{proof.Error, proof.Redrive}},
		{"has another key after a redrive", func(y *yard, ctx context.Context, j job) error {
			return y.act(ctx, "act", string(rune('a'+j.Lease.Counts.Redrives)))
		}, []proof.Sort{proof.Redrive}},
		{"looks before it acts", func(y *yard, ctx context.Context, _ job) error {
			if n, err := y.get(ctx, "done"); err != nil || n > 0 {
				return err
			}
			return proof.Call(ctx, "act", func() error { y.outside.made["act"]++; y.register["done"] = 1; return nil })
		}, []proof.Sort{proof.Zombie, proof.Duplicate}},
		{"has another key after two crashes", func(y *yard, ctx context.Context, j job) error {
			return y.act(ctx, "act", string(rune('a'+j.Lease.Counts.Crashes/2)))
		}, []proof.Sort{proof.SecondCrash}},
		{"takes over from one that has begun and not ended", takesOver, []proof.Sort{proof.Duplicate}},
		{"acts by a key that is forgotten after a day", func(y *yard, ctx context.Context, _ job) error {
			if _, err := y.get(ctx, "nothing"); err != nil {
				return err
			}
			return y.act(ctx, "act", y.o.Now().Truncate(24*time.Hour).String())
		}, []proof.Sort{proof.Late}},
		{"acts once by the ledger", func(y *yard, ctx context.Context, _ job) error {
			return y.once(ctx, y.ledger, "act")
		}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, s := range proof.Sorts() {
				alone := func(k *proof.Case[parcel, *yard]) {
					k.Skip = slices.DeleteFunc(proof.Sorts(), func(o proof.Sort) bool { return o == s })
				}
				if r := prove(t, c.handle, alone); r.Safe == slices.Contains(c.by, s) {
					t.Errorf("%s alone passes it: %t\n%s", s, r.Safe, r)
				}
			}
			blind := prove(t, c.handle, func(k *proof.Case[parcel, *yard]) { k.Skip = c.by })
			if !blind.Safe || blind.Complete() != (len(c.by) == 0) {
				t.Errorf("without %v:\n%s", c.by, blind)
			}
		})
	}
}

// once acts through a ledger, by a key that the remote honours.
func (y *yard) once(ctx context.Context, store ledger.Store, what string) error {
	_, err := ledger.Once(ctx, store, ledger.Effect[int]{
		Step: what, KeyLife: 24 * time.Hour,
		Do: func(ctx context.Context, key string) (int, error) { return 1, y.act(ctx, what, key) },
	})
	return err
}

// marksAndActs leaves it to whoever left the marker. One that stood still does go on; one that crashed does not.
func marksAndActs(y *yard, ctx context.Context, _ job) error {
	there := false
	err := proof.Call(ctx, "mark", func() error { there = y.register["mark"] > 0; y.register["mark"] = 1; return nil })
	if there && err == nil {
		return nil
	}
	if err == nil {
		err = y.act(ctx, "act", "k")
	}
	if err != nil {
		delete(y.register, "mark") // the same process tries again
	}
	return err
}

// takesOver acts for another attempt that seems to have stopped half-way.
func takesOver(y *yard, ctx context.Context, j job) error {
	if err := y.put(ctx, "begun", j.Attempt()); err != nil {
		return err
	}
	begun, err := y.get(ctx, "begun")
	if err != nil {
		return err
	}
	if ended := y.register["ended"]; begun != j.Attempt() && ended != begun {
		if err := y.act(ctx, "act", "for another"); err != nil {
			return err
		}
	}
	if err := y.act(ctx, "act", "k"); err != nil {
		return err
	}
	return y.put(ctx, "ended", j.Attempt())
}
