package ledger_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

func TestOnceGivesARepeatTheRecordedResult(t *testing.T) {
	b, r := newBench(t), newRemote(false)
	for range 3 {
		got, err := ledger.Once(b.attempt(), b, neither(r))
		if err != nil || got != "receipt of "+b.job.String()+"/mail" {
			t.Fatalf("got %q, %v", got, err)
		}
	}
	r.want(t, 1, 1)
}

func TestOnceResendsWithTheSameKeyWhileTheRemoteKeepsIt(t *testing.T) {
	b, r := newBench(t), newRemote(true)
	var keys []string
	e := withKeys(r)
	e.Do = func(ctx context.Context, key string) (string, error) {
		if _, bounded := ctx.Deadline(); !bounded {
			t.Error("the call is not bounded by the key's life")
		}
		keys = append(keys, key)
		return r.call(ctx, key)
	}
	r.fail = errLost
	_, err := ledger.Once(b.attempt(), b, e)
	want(t, "a lost reply", err, errLost)
	b.wantState("charge", ledger.Pending)
	b.clock.Advance(e.KeyLife - time.Second)
	if _, err := ledger.Once(b.attempt(), b, e); err != nil {
		t.Fatal(err)
	}
	if len(keys) != 2 || keys[0] != keys[1] {
		t.Errorf("the keys were %q", keys)
	}
	r.want(t, 2, 1)
}

// The store's clock is set back after the first try's call: nobody can tell how long ago that was, and whether the remote
// still knows the key. A remote that keeps none is not called again for it.
func TestOnceWithAClockThatWasSetBack(t *testing.T) {
	for _, life := range []time.Duration{0, 24 * time.Hour} {
		b, r := newBench(t), newRemote(life > 0)
		e := withKeys(r)
		e.KeyLife, r.fail = life, errLost
		_, err := ledger.Once(b.attempt(), b, e)
		want(t, "a lost reply", err, errLost)
		_, err = ledger.Once(b.attempt(), setBack{b, 10 * time.Minute}, e)
		want(t, "the next try", err, queue.ErrInDoubt)
		r.want(t, 1, 1)
	}
}

// setBack is a store that says of every entry that it is earlier.
type setBack struct {
	ledger.Store
	by time.Duration
}

func (s setBack) Intend(ctx context.Context, try ledger.Try) (ledger.Entry, error) {
	e, err := s.Store.Intend(ctx, try)
	e.Now = e.Now.Add(-s.by)
	return e, err
}

func TestOnceDoesWhatWasDeclaredWhenTheKeyIsForgotten(t *testing.T) {
	for _, doubt := range []ledger.Doubt{ledger.Park, ledger.Resend} {
		b, r := newBench(t), newRemote(true)
		e := withKeys(r)
		e.Doubt, r.fail = doubt, errLost
		_, _ = ledger.Once(b.attempt(), b, e)
		b.clock.Advance(e.KeyLife)
		_, err := ledger.Once(b.attempt(), b, e)
		if doubt == ledger.Resend {
			if err != nil {
				t.Errorf("Resend gave %v", err)
			}
			r.want(t, 2, 1)
			continue
		}
		want(t, "Park", err, queue.ErrInDoubt)
		for _, part := range []string{b.job.String() + "/charge", "twice dead resolve"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q does not name %q", err, part)
			}
		}
		b.wantState("charge", ledger.Unknown)
		_, err = ledger.Once(b.attempt(), b, e)
		want(t, "Park again", err, queue.ErrInDoubt)
		r.want(t, 1, 1)
	}
}

func TestOnceAsksTheRemoteThatCanBeAsked(t *testing.T) {
	lost := func(b *bench, e ledger.Effect[string], r *remote) { // the reply is lost
		r.fail = errLost
		_, _ = ledger.Once(b.attempt(), b, e)
	}
	frozen := func(b *bench, e ledger.Effect[string], r *remote) { // the intent is written, the call not made
		h, _ := queue.HoldingFrom(b.attempt())
		if _, err := b.Intend(context.Background(), ledger.Try{ID: ledger.NewTryID(), Lease: h.Lease, Step: e.Step}); err != nil {
			b.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		before      func(*bench, ledger.Effect[string], *remote)
		keys        bool
		doubt       ledger.Doubt
		calls, made int
		err         error
	}{
		"yes confirms":                           {lost, false, ledger.Park, 1, 1, nil},
		"no, without keys, is a doubt":           {frozen, false, ledger.Park, 0, 0, queue.ErrInDoubt},
		"no, without keys, is resent if so said": {frozen, false, ledger.Resend, 1, 1, nil},
		"no, with keys, is resent":               {frozen, true, ledger.Park, 1, 1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			b, r := newBench(t), newRemote(c.keys)
			e := askable(r)
			if e.Doubt = c.doubt; c.keys {
				e.KeyLife = time.Hour
			}
			c.before(b, e, r)
			_, err := ledger.Once(b.attempt(), b, e)
			want(t, "the next attempt", err, c.err)
			r.want(t, c.calls, c.made)
		})
	}
}

func TestOnceAsksAgainWhenTheQuestionFails(t *testing.T) {
	b, r := newBench(t), newRemote(false)
	e := askable(r)
	r.fail = errLost
	_, _ = ledger.Once(b.attempt(), b, e)
	deaf := e
	deaf.Confirm = func(context.Context, string) (string, bool, error) { return "", false, errLost }
	_, err := ledger.Once(b.attempt(), b, deaf)
	want(t, "a question that failed", err, errLost)
	b.wantState("book", ledger.Pending)
	if _, err := ledger.Once(b.attempt(), b, e); err != nil {
		t.Fatal(err)
	}
	r.want(t, 1, 1)
}

func TestOnceLeavesADenialWhenTheQuestionFails(t *testing.T) {
	b, r := newBench(t), newRemote(false)
	e := askable(r)
	r.fail = errLost
	_, _ = ledger.Once(b.attempt(), b, e)
	if err := b.Answer(context.Background(), queue.Actor{Name: "ann", Why: "asked them"}, ledger.Key{Job: b.job, Step: "book"}, false, nil); err != nil {
		t.Fatal(err)
	}
	e.Confirm = func(context.Context, string) (string, bool, error) { return "", false, errLost }
	_, err := ledger.Once(b.attempt(), b, e)
	want(t, "a question that failed", err, errLost)
	b.wantState("book", ledger.Denied)
	r.want(t, 1, 1)
}

func TestOnceAsksBeforeItTrustsADenial(t *testing.T) {
	for _, since := range []bool{false, true} {
		b, r := newBench(t), newRemote(false)
		e, key := askable(r), ledger.Key{Job: b.job, Step: "book"}
		h, _ := queue.HoldingFrom(b.attempt())
		if _, err := b.Intend(context.Background(), ledger.Try{ID: ledger.NewTryID(), Lease: h.Lease, Step: e.Step}); err != nil {
			t.Fatal(err)
		}
		if err := b.Answer(context.Background(), queue.Actor{Name: "ann", Why: "asked them"}, key, false, nil); err != nil {
			t.Fatal(err)
		}
		if since { // the frozen worker thawed and called after it was denied
			_, _ = r.call(context.Background(), key.String())
		}
		if _, err := ledger.Once(b.attempt(), b, e); err != nil {
			t.Fatal(err)
		}
		r.want(t, 1, 1)
	}
}

func TestNotDoneLetsTheNextAttemptAskAfresh(t *testing.T) {
	b, r := newBench(t), newRemote(false)
	refused := errors.New("connection refused")
	r.decline = ledger.NotDone(refused)
	for range 3 {
		_, err := ledger.Once(b.attempt(), b, neither(r))
		want(t, "NotDone", err, refused)
		b.wantState("mail", "")
	}
	r.decline = nil
	if _, err := ledger.Once(b.attempt(), b, neither(r)); err != nil {
		t.Fatal(err)
	}
	r.want(t, 4, 1)
}

func TestNotDoneProvesNothingOnceAnotherAttemptHasSeenTheIntent(t *testing.T) {
	b, r := newBench(t), newRemote(true)
	zombie := b.attempt()
	e := withKeys(r)
	e.Do = func(context.Context, string) (string, error) {
		other := withKeys(r)
		r.fail = errLost
		_, err := ledger.Once(b.attempt(), b, other) // redelivered meanwhile: it acts, and its reply is lost
		want(t, "the other", err, errLost)
		return "", ledger.NotDone(errLost)
	}
	_, err := ledger.Once(zombie, b, e)
	want(t, "the zombie", err, errLost)
	b.wantState("charge", ledger.Pending)
}

func TestNotDoneOfALaterAttemptLeavesTheDoubtOfAnEarlierOne(t *testing.T) {
	b, r := newBench(t), newRemote(true)
	e := withKeys(r)
	r.fail = errLost
	_, _ = ledger.Once(b.attempt(), b, e)
	r.decline = ledger.NotDone(nil)
	if _, err := ledger.Once(b.attempt(), b, e); err == nil {
		t.Error("NotDone(nil) is a success")
	}
	b.wantState("charge", ledger.Pending)
}

func TestOnceEndedContexts(t *testing.T) {
	b, r := newBench(t), newRemote(false)
	ctx, cancel := context.WithCancel(b.attempt())
	during := &hooked{Store: b, after: func(op string) {
		if op == "intend" {
			cancel()
		}
	}}
	_, err := ledger.Once(ctx, during, neither(r))
	want(t, "a context that ended before the call", err, context.Canceled)
	b.wantState("mail", "") // withdrawn: nobody called
	_, err = ledger.Once(ctx, b, neither(r))
	want(t, "a context that had ended", err, context.Canceled)
	r.want(t, 0, 0)

	why := errors.New("shutdown")
	stopped, stop := context.WithCancelCause(b.attempt())
	stop(why)
	_, err = ledger.Once(stopped, b, neither(r))
	want(t, "a context that ended for a reason", err, why)
	want(t, "the same", err, context.Canceled)
	r.want(t, 0, 0)

	ctx, cancel = context.WithCancel(b.attempt())
	e := neither(r)
	e.Do = func(ctx context.Context, key string) (string, error) { defer cancel(); return r.call(ctx, key) }
	if _, err = ledger.Once(ctx, b, e); err != nil {
		t.Errorf("an effect that was made while its context ended: %v", err)
	}
	b.wantState("mail", ledger.Confirmed)
}

func TestOnceOfASealedJob(t *testing.T) {
	b, r := newBench(t), newRemote(false)
	ctx := b.attempt()
	seal := func() {
		if _, err := b.Seal(context.Background(), b.job, b.token); err != nil {
			t.Fatal(err)
		}
	}
	e := neither(r)
	e.Do = func(ctx context.Context, key string) (string, error) { seal(); return r.call(ctx, key) }
	_, err := ledger.Once(ctx, b, e)
	want(t, "sealed during the call", err, queue.ErrLeaseLost)
	b.wantState("mail", ledger.Pending) // listed as unknown
	_, err = ledger.Once(ctx, b, withKeys(r))
	want(t, "sealed before", err, queue.ErrLeaseLost)
	if !strings.Contains(err.Error(), "sealed at token 1") {
		t.Errorf("%q does not say what happened", err)
	}
	r.want(t, 1, 1)
}

func TestOnceGivesWhatAnotherRecordedMeanwhile(t *testing.T) {
	b, r := newBench(t), newRemote(false)
	zombie, e := b.attempt(), neither(r)
	parks := &hooked{Store: b, before: func(op string) {
		if op == "doubt" { // the attempt before this one thaws and records
			h, _ := queue.HoldingFrom(zombie)
			if err := b.Confirm(context.Background(), ledger.Try{Lease: h.Lease, Step: "mail"}, []byte(`"sent"`)); err != nil {
				t.Fatal(err)
			}
		}
	}}
	r.fail = errLost
	_, _ = ledger.Once(zombie, b, e)
	got, err := ledger.Once(b.attempt(), parks, e)
	if err != nil || got != "sent" {
		t.Errorf("got %q, %v", got, err)
	}
	e.Step, e.Do = "other", func(ctx context.Context, key string) (string, error) {
		if _, err := ledger.Once(b.attempt(), b, ledger.Effect[string]{Step: "other", Do: r.call, Doubt: ledger.Resend}); err != nil {
			t.Fatal(err)
		}
		return "mine", nil
	}
	if got, err = ledger.Once(b.attempt(), b, e); err != nil || got != "receipt of "+b.job.String()+"/other" {
		t.Errorf("got %q, %v: not what stands in the ledger", got, err)
	}
}

func TestOnceConflict(t *testing.T) {
	b, r := newBench(t), newRemote(false)
	e := neither(r)
	e.Fingerprint = 1
	if _, err := ledger.Once(b.attempt(), b, e); err != nil {
		t.Fatal(err)
	}
	e.Fingerprint = 2
	_, err := ledger.Once(b.attempt(), b, e)
	want(t, "another fingerprint", err, queue.ErrConflict)
	r.want(t, 1, 1)
}

func TestOnceAPanicLeavesTheIntentPending(t *testing.T) {
	b := newBench(t)
	func() {
		defer func() { _ = recover() }()
		_, _ = ledger.Once(b.attempt(), b, ledger.Effect[string]{Step: "mail", Do: func(context.Context, string) (string, error) { panic("mid-call") }})
	}()
	b.wantState("mail", ledger.Pending)
}
