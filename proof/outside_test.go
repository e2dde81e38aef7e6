package proof_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/proof"
	"github.com/twicehq/twice/queue"
)

// A remote that honours no keys and cannot be asked: without a person's word the proof fails and says what is missing;
// with it the handler passes, and the report counts how often a person was needed.
func TestDoubtNeedsAPerson(t *testing.T) {
	mail := func(y *yard, ctx context.Context, _ job) error {
		_, err := ledger.Once(ctx, y.ledger, ledger.Effect[int]{Step: "mail", Do: func(ctx context.Context, _ string) (int, error) { return 1, y.act(ctx, "mail", "") }})
		return err
	}
	r := prove(t, mail)
	if r.Safe || !strings.Contains(r.String(), `nobody can tell whether its step "mail" happened`) || !strings.Contains(r.String(), "Case.Truth") {
		t.Errorf("without a person:\n%s", r)
	}
	r = prove(t, mail, func(c *proof.Case[parcel, *yard]) {
		c.Truth = func(y *yard, step string) (bool, any) { return y.outside.made[step] > 0, 1 }
	})
	wantSafe(t, r)
	if r.Sorts[0].ByPerson == 0 || !strings.Contains(r.String(), "needed a person") {
		t.Errorf("nobody was needed:\n%s", r)
	}
	// A person who is wrong is found out: the mail comes twice.
	r = prove(t, mail, func(c *proof.Case[parcel, *yard]) {
		c.Truth = func(*yard, string) (bool, any) { return false, nil }
	})
	if r.Safe {
		t.Errorf("with a wrong person it passes:\n%s", r)
	}
}

// A ledger of the world's own, beside its data, and an engine of its own.
func TestLedgerBesideAndEngineWithin(t *testing.T) {
	once := func(y *yard, ctx context.Context, _ job) error { return y.once(ctx, y.ledger, "act") }
	r := prove(t, once, func(c *proof.Case[parcel, *yard]) {
		c.World = func(o *proof.Outside) (*yard, error) {
			y, err := newYard(o)
			y.ledger = o.Beside(memory.NewLedger(memory.LedgerConfig{Now: o.Now}))
			return y, err
		}
	})
	wantSafe(t, r)
	r = prove(t, once, func(c *proof.Case[parcel, *yard]) {
		c.World = func(o *proof.Outside) (*yard, error) {
			y, err := newYard(o)
			engine, err2 := memory.New(memory.Config{Now: o.Now})
			o.Cleanup(func() { _ = engine.Close() })
			y.ledger = o.Within(engine, engine.Ledger())
			return y, errors.Join(err, err2)
		}
	})
	wantSafe(t, r)
	// The control: a ledger that forgets.
	r = prove(t, once, func(c *proof.Case[parcel, *yard]) {
		c.World = func(o *proof.Outside) (*yard, error) {
			y, err := newYard(o)
			y.ledger = o.Beside(forgetful{memory.NewLedger(memory.LedgerConfig{Now: o.Now})})
			return y, err
		}
		c.Handle = func(y *yard, ctx context.Context, _ job) error {
			_, err := ledger.Once(ctx, y.ledger, ledger.Effect[int]{Step: "act", Doubt: ledger.Resend, Do: func(ctx context.Context, _ string) (int, error) { return 1, y.act(ctx, "act", "") }})
			return err
		}
	})
	if r.Safe {
		t.Errorf("with a ledger that forgets it passes:\n%s", r)
	}
}

type forgetful struct{ ledger.Store }

func (forgetful) Intend(_ context.Context, try ledger.Try) (ledger.Entry, error) {
	return ledger.Entry{Key: try.Key(), State: ledger.Pending, Mine: true}, nil
}
func (forgetful) Confirm(context.Context, ledger.Try, []byte) error { return nil }

// A step that is left out in a recovery is found, though the world looks the same.
func TestSkippedStep(t *testing.T) {
	r := prove(t, func(y *yard, ctx context.Context, j job) error {
		if j.Lease.Counts.Crashes > 0 {
			return nil
		}
		if _, err := y.get(ctx, "anything"); err != nil {
			return err
		}
		_, err := ledger.Once(ctx, y.ledger, ledger.Effect[int]{Step: "look", Doubt: ledger.Resend, Do: func(context.Context, string) (int, error) { return 1, nil }})
		return err
	})
	if r.Safe || !strings.Contains(r.String(), `step "look" was skipped`) {
		t.Errorf("%s", r)
	}
}

// The books are checked after each schedule, and a world that differs is told beside them.
func TestBooks(t *testing.T) {
	r := prove(t, shipAndMark, func(c *proof.Case[parcel, *yard]) {
		c.Books = func(y *yard) error {
			if y.outside.made["ship the parcel"] > 1 {
				return errors.New("one parcel, two shipments")
			}
			return nil
		}
	})
	if !strings.Contains(r.String(), "the books do not balance: one parcel, two shipments") || len(r.Failure.World) != 1 || len(r.Failure.Calls) != 1 {
		t.Errorf("%s", r)
	}
}

// A job that its handler buries has ended as it is to; its effect is made once.
func TestBuriedJob(t *testing.T) {
	wantSafe(t, prove(t, func(y *yard, ctx context.Context, _ job) error {
		if err := y.once(ctx, y.ledger, "refuse-the-parcel"); err != nil {
			return err
		}
		return twice.Bury(errors.New("no such address"))
	}))
}

// Follow-up jobs are stored once however often they are enqueued; a panic and a snooze are ways back like others.
func TestJobsPanicsAndSnoozes(t *testing.T) {
	follow := twice.Define("parcels.follow", twice.Policy[parcel]{Key: func(p parcel) string { return p.ID }})
	r := prove(t, func(y *yard, ctx context.Context, j job) error {
		if _, err := follow.Enqueue(ctx, y.o.Jobs(), parcel{"p-1"}); err != nil {
			panic(err)
		}
		if j.Lease.Counts.Snoozes == 0 {
			return twice.Snooze(time.Hour)
		}
		return y.once(ctx, y.ledger, "act")
	}, func(c *proof.Case[parcel, *yard]) {
		c.Observe = func(y *yard) any {
			page, err := queue.Need[queue.Inspector](y.o.Engine(), "look")
			if err != nil {
				return err
			}
			jobs, err := page.List(context.Background(), queue.Query{State: queue.Queued})
			return []any{y.look(), len(jobs.Records), err}
		}
	})
	wantSafe(t, r)
}

// A crash leaves a lock held that is in no process's memory: the next attempt is stuck, and the proof says so. Made anew
// for each process it is not.
func TestStuckBehindACrash(t *testing.T) {
	handle := func(y *yard, ctx context.Context, _ job) error {
		y.lock.Lock()
		defer y.lock.Unlock()
		return y.act(ctx, "act", "k")
	}
	r := prove(t, handle, func(c *proof.Case[parcel, *yard]) { c.Limits.Patience = 200 * time.Millisecond })
	if r.Safe || !strings.Contains(r.String(), "attempt B is stuck") || !strings.Contains(r.String(), "Case.Start") {
		t.Errorf("%s", r)
	}
	wantSafe(t, prove(t, handle, func(c *proof.Case[parcel, *yard]) {
		c.Start = func(y *yard) *yard {
			fresh := y.restarted()
			fresh.lock = &sync.Mutex{}
			return fresh
		}
	}))
}

// Calls from several goroutines are made one after the other, a call within a call is a part of it.
func TestCallsWithinAndBeside(t *testing.T) {
	handle := func(y *yard, ctx context.Context, _ job) error {
		var both sync.WaitGroup
		errs := make([]error, 2)
		for i, what := range []string{"left", "right"} {
			both.Go(func() { errs[i] = y.once(ctx, y.ledger, what) })
		}
		both.Wait()
		return errors.Join(append(errs, proof.Call(ctx, "outer", func() error { return y.act(ctx, "inner", "k") }))...)
	}
	r := prove(t, handle)
	if !r.Safe {
		t.Errorf("%s", r)
	}
	if all := strings.Join(r.Places, "\n"); !strings.Contains(all, "outer") || strings.Contains(all, "inner") || r.Points != 15 {
		t.Errorf("%d points:\n%s", r.Points, all)
	}
}

// Outside of a proof the points do nothing.
func TestPointsOutsideOfAProof(t *testing.T) {
	called := 0
	act := func() error { called++; return nil }
	if err := errors.Join(proof.Point(t.Context(), "here"), proof.Call(t.Context(), "call", act), proof.Read(t.Context(), "read", act)); err != nil || called != 2 {
		t.Errorf("%d calls, %v", called, err)
	}
}

// A lone point is a place to crash, to stand and to fail.
func TestPoint(t *testing.T) {
	r := prove(t, func(y *yard, ctx context.Context, _ job) error {
		if err := proof.Point(ctx, "between the two"); err != nil {
			return nil // swallowed
		}
		return y.act(ctx, "act", "k")
	})
	if r.Safe || r.Failure.Schedule != "A1:error" || !strings.Contains(r.String(), "✗ between the two fails") || !strings.Contains(r.String(), "made not at all, not once: act") {
		t.Errorf("%s", r)
	}
}

// What an HTTP client sees of a refused call and of a lost reply, and that requests are told apart.
func TestTransport(t *testing.T) {
	var errs []error
	r := prove(t, func(y *yard, ctx context.Context, _ job) error {
		client := y.o.Client(http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
			if in.Method == http.MethodPost {
				y.outside.made["posted"] = 1
			}
			out.WriteHeader(http.StatusTeapot)
		}))
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			in, err := http.NewRequestWithContext(ctx, method, "http://tea.test/pot?secret=1", strings.NewReader("body"))
			if err != nil {
				return err
			}
			answer, err := client.Do(in)
			if errs = append(errs, err); err != nil {
				return err
			}
			if err := answer.Body.Close(); err != nil {
				return err
			}
		}
		return nil
	}, replay("A3:error B4:error"))
	told := strings.Join(r.Replayed, "\n")
	for _, says := range []string{"A  GET tea.test/pot: 418 I'm a teapot", "A  ✗ POST tea.test/pot fails: nothing was done", "B  ✗ the reply of POST tea.test/pot is lost"} {
		if !strings.Contains(told, says) {
			t.Errorf("%q is not told:\n%s", says, told)
		}
	}
	refused, lost := 0, 0
	for _, err := range errs {
		if errors.Is(err, proof.ErrRefused) && strings.Contains(err.Error(), "connection refused") {
			refused++
		}
		if errors.Is(err, proof.ErrLost) && strings.Contains(err.Error(), "connection reset") {
			lost++
		}
	}
	if refused != 1 || lost != 1 || strings.Contains(strings.Join(r.Places, " "), "secret") {
		t.Errorf("%d refused, %d lost: %v\n%s", refused, lost, errs, told)
	}
}
