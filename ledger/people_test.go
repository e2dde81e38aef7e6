package ledger_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

var (
	ctx = context.Background()
	ann = queue.Actor{Name: "ann", Why: "looked"}
)

func (w *world) record() queue.Record {
	w.Helper()
	record, err := w.engine.Job(ctx, w.job)
	if err != nil {
		w.Fatal(err)
	}
	return record
}

func TestCancelSealsAndListsWhatWasMade(t *testing.T) {
	w := newWorld(t, false)
	lease := w.claim()
	_ = w.attempt(lease, killAt(8, new(string))) // charged and recorded, the booking intended
	unknown := queue.NewID("k", "unknown")
	errs, err := ledger.Cancel(ctx, w.engine, w.ledger, ann, unknown, w.job)
	if err != nil || errs[1] != nil {
		t.Fatal(errs, err)
	}
	want(t, "a job that is not there", errs[0], queue.ErrNotFound)
	made := []queue.Effect{{Step: "book", State: queue.EffectUnknown}, {Step: "charge", State: queue.EffectRecorded}}
	if r := w.record(); r.State != queue.Cancelled || !slices.Equal(r.Effects, made) {
		t.Errorf("the record is %s with %v", r.State, r.Effects)
	}
	errs, err = ledger.Cancel(ctx, w.engine, neverSealed{w.ledger}, ann, w.job)
	if err != nil {
		t.Fatal(err)
	}
	want(t, "again", errs[0], queue.ErrState)
}

// neverSealed is for jobs that have ended: what they did stays as it is.
type neverSealed struct{ ledger.Store }

func (neverSealed) Seal(context.Context, queue.ID, int64) ([]queue.Effect, error) {
	return nil, errors.New("sealed a job that has ended")
}

func TestCancelWithoutALedgerSaysSo(t *testing.T) {
	w := newWorld(t, false)
	if errs, err := ledger.Cancel(ctx, w.engine, nil, ann, w.job); err != nil || errs[0] != nil {
		t.Fatal(errs, err)
	}
	trail, _, err := w.engine.Trail(ctx, "", 1)
	if err != nil || len(trail) != 1 || !strings.Contains(trail[0].Note, "no ledger") {
		t.Errorf("the trail is %+v, %v", trail, err)
	}
	_, err = ledger.Cancel(ctx, w.engine, nil, queue.Actor{}, w.job)
	want(t, "nobody", err, queue.ErrInvalid)
}

func TestCancelGivesUpOnAJobThatIsClaimedForEver(t *testing.T) {
	w := newWorld(t, false)
	busy := &claimedAlways{claimedMeanwhile{Engine: w.engine, inspect: w.engine, w: w}}
	errs, err := ledger.Cancel(ctx, busy, w.ledger, ann, w.job)
	if err != nil {
		t.Fatal(err)
	}
	want(t, "it", errs[0], queue.ErrLeaseLost)
}

type claimedAlways struct{ claimedMeanwhile }

func (c *claimedAlways) Job(ctx context.Context, id queue.ID) (queue.Record, error) {
	c.leases = nil
	return c.claimedMeanwhile.Job(ctx, id)
}

// parked brings the job into doubt about two steps.
func parked(t *testing.T) *world {
	w := newWorld(t, false)
	lease := w.claim()
	for _, step := range []string{"book", "mail"} {
		try := ledger.Try{ID: ledger.NewTryID(), Lease: lease, Step: step}
		_, err := w.ledger.Intend(ctx, try)
		if err := errors.Join(err, w.ledger.Doubt(ctx, try)); err != nil {
			t.Fatal(err)
		}
	}
	w.settle(lease, queue.ErrInDoubt)
	return w
}

func TestResolveRedrivesWhenNoDoubtIsLeft(t *testing.T) {
	w := parked(t)
	book, mail := ledger.Key{Job: w.job, Step: "book"}, ledger.Key{Job: w.job, Step: "mail"}
	_, err := ledger.Resolve(ctx, w.engine, w.ledger, ann, book, true, []byte(`{`))
	want(t, "a result that is not JSON", err, queue.ErrInvalid)
	_, err = ledger.Resolve(ctx, w.engine, nil, ann, book, true, nil)
	want(t, "no ledger", err, queue.ErrInvalid)
	_, err = ledger.Resolve(ctx, w.engine, w.ledger, queue.Actor{Name: "ann"}, book, true, nil)
	want(t, "without why", err, queue.ErrInvalid)
	_, err = ledger.Resolve(ctx, w.engine, w.ledger, ann, ledger.Key{Job: w.job, Step: "none"}, true, nil)
	want(t, "a step that is not there", err, queue.ErrNotFound)

	for range 2 {
		left, err := ledger.Resolve(ctx, w.engine, w.ledger, ann, book, true, []byte(`"booked"`))
		if err != nil || !slices.Equal(left, []ledger.Key{mail}) {
			t.Fatalf("left %v, %v", left, err)
		}
	}
	_, err = ledger.Resolve(ctx, w.engine, w.ledger, ann, book, false, nil)
	want(t, "the contrary", err, queue.ErrState)
	if left, err := ledger.Resolve(ctx, w.engine, w.ledger, ann, mail, false, nil); err != nil || len(left) != 0 {
		t.Fatalf("left %v, %v", left, err)
	}
	if r := w.record(); r.State != queue.Queued || r.Counts.Redrives != 1 {
		t.Errorf("the job is %s, redriven %d times", r.State, r.Counts.Redrives)
	}
	_, err = ledger.Resolve(ctx, w.engine, w.ledger, ann, mail, false, nil)
	want(t, "when nothing is in doubt", err, queue.ErrState)
	if doubts := w.finish(); len(doubts) != 0 {
		t.Errorf("in doubt again: %q", doubts)
	}
	w.books.want(t, 0, 0)
	w.mail.want(t, 1, 1)
}

func TestResolveTwiceWhenTheRedriveFailed(t *testing.T) {
	w := parked(t)
	for _, step := range []string{"book", "mail"} { // answered, and the process died before the redrive
		if err := w.ledger.Answer(ctx, ann, ledger.Key{Job: w.job, Step: step}, true, []byte("1")); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := ledger.Resolve(ctx, w.engine, w.ledger, ann, ledger.Key{Job: w.job, Step: "mail"}, true, []byte("2")); err != nil || len(left) != 0 {
		t.Fatalf("left %v, %v", left, err)
	}
	if r := w.record(); r.State != queue.Queued {
		t.Errorf("the job is %s", r.State)
	}
}

func TestResolveWithoutAStepRedrivesOnlyWhereNoDoubtIsLeft(t *testing.T) {
	w := parked(t)
	whole := ledger.Key{Job: w.job}
	if left, err := ledger.Resolve(ctx, w.engine, w.ledger, ann, whole, false, nil); err != nil || len(left) != 2 {
		t.Fatalf("left %v, %v", left, err)
	}
	if r := w.record(); r.State != queue.Dead {
		t.Fatalf("the job is %s", r.State)
	}
	for _, step := range []string{"book", "mail"} {
		if err := w.ledger.Answer(ctx, ann, ledger.Key{Job: w.job, Step: step}, true, []byte("1")); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := ledger.Resolve(ctx, w.engine, w.ledger, ann, whole, false, nil); err != nil || len(left) != 0 {
		t.Fatalf("left %v, %v", left, err)
	}
	if r := w.record(); r.State != queue.Queued {
		t.Errorf("the job is %s", r.State)
	}
}

func TestReapForgetsWhatCannotComeBack(t *testing.T) {
	w := newWorld(t, false)
	w.finish()
	dead := newDead(w)
	reap := func(jobs, swept int) {
		t.Helper()
		got, err := ledger.Reap(ctx, w.engine, w.ledger, ledger.Reaping{Now: w.clock.Now()})
		if err != nil || got.Jobs != jobs || got.Swept != swept || got.More {
			t.Errorf("reaped %+v, %v; want %d jobs, %d swept", got, err, jobs, swept)
		}
	}
	reap(0, 0)
	w.clock.Advance(ledger.KeepFor + time.Hour)
	reap(1, 1)
	reap(0, 0)
	for id, left := range map[queue.ID]int{w.job: 0, dead: 1} {
		if entries, err := w.ledger.Entries(ctx, id); err != nil || len(entries) != left {
			t.Errorf("%d entries left, want %d; %v", len(entries), left, err)
		}
	}
	late := queue.Job{Queue: "q", Kind: "k", Key: "j", Origin: w.clock.Now().Add(-ledger.KeepFor - 30*time.Minute)}
	if receipts, err := w.engine.Enqueue(ctx, late); err != nil || receipts[0].Status != queue.Refused {
		t.Errorf("a late request got %+v, %v", receipts, err)
	}
	_, err := ledger.Reap(ctx, w.engine, w.ledger, ledger.Reaping{})
	want(t, "Reap without Now", err, queue.ErrInvalid)
	if got, err := ledger.Reap(ctx, w.engine, nil, ledger.Reaping{Now: w.clock.Now()}); err != nil || got.Note != "no ledger" {
		t.Errorf("without a ledger: %+v, %v", got, err)
	}
}

// newDead leaves a dead letter with an effect.
func newDead(w *world) queue.ID {
	w.Helper()
	if _, err := w.engine.Enqueue(ctx, queue.Job{Queue: "q", Kind: "k", Key: "dead"}); err != nil {
		w.Fatal(err)
	}
	lease := w.claim()
	try := ledger.Try{ID: ledger.NewTryID(), Lease: lease, Step: "a"}
	_, err := w.ledger.Intend(ctx, try)
	if err := errors.Join(err, w.ledger.Confirm(ctx, try, []byte("1"))); err != nil {
		w.Fatal(err)
	}
	errs, err := w.engine.Settle(ctx, queue.Settlement{Lease: lease, State: queue.Dead, Reason: queue.ReasonBuried, Outcome: queue.OutcomeBuried})
	if err := errors.Join(append(errs, err)...); err != nil {
		w.Fatal(err)
	}
	return lease.Job.ID
}

// Case 20: a job 60 days in the future, and a dead letter redriven after the horizon, still run their effect once.
func TestCase20OldButAlive(t *testing.T) {
	fences(t, func(t *testing.T, fenceA bool) {
		w := newWorld(t, fenceA)
		reapAll := func() {
			t.Helper()
			w.clock.Advance(60 * 24 * time.Hour)
			if _, err := ledger.Reap(ctx, w.engine, w.ledger, ledger.Reaping{Now: w.clock.Now()}); err != nil {
				t.Fatal(err)
			}
		}
		lease := w.claim()
		_ = w.attempt(lease, killAt(5, new(string))) // charged, nothing else
		errs, err := w.engine.Settle(ctx, queue.Settlement{Lease: lease, State: queue.Queued, Outcome: queue.OutcomeSnoozed,
			Count: queue.CountSnooze, RunAt: w.clock.Now().Add(60 * 24 * time.Hour)})
		if err := errors.Join(append(errs, err)...); err != nil {
			t.Fatal(err)
		}
		reapAll()
		lease = w.claim()
		_ = w.attempt(lease, killAt(9, new(string))) // booked
		list, err := w.ledger.Seal(ctx, w.job, lease.Token)
		if err != nil {
			t.Fatal(err)
		}
		errs, err = w.engine.Settle(ctx, queue.Settlement{Lease: lease, State: queue.Dead, Reason: queue.ReasonBuried, Outcome: queue.OutcomeBuried, Effects: list})
		if err := errors.Join(append(errs, err)...); err != nil {
			t.Fatal(err)
		}
		reapAll()
		errs, err = w.engine.Redrive(ctx, ann, w.job)
		if err := errors.Join(append(errs, err)...); err != nil {
			t.Fatal(err)
		}
		w.finish()
		w.once("after 120 days")
	})
}
