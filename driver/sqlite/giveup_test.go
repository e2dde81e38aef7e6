package sqlite

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// A caller gives up while the writer is at its call: it is told that the outcome is unknown, reads nothing that the
// writer still writes (the race detector looks), and may repeat the call.
func TestGivingUp(t *testing.T) {
	t.Parallel()
	e := open(t, Config{Logger: silent})
	accept(t, e, jobs(0, 20, whole)...)
	leases := claim(t, e, 4)
	settle(t, e, buried(leases[0]))
	by := queue.Actor{Name: "ada", Why: "test"}
	must(t, e.PutSchedule(ctx, queue.Schedule{Name: "s", Spec: "@every 1m", Queue: testQueue, Kind: testKind}))
	store := e.Ledger()
	try := ledger.Try{Step: "charge", ID: ledger.NewTryID(), Lease: leases[1]}
	req := request(2)
	calls := map[string]func(context.Context) error{
		"enqueue":  func(ctx context.Context) error { _, err := e.Enqueue(ctx, named("new")); return err },
		"claim":    func(ctx context.Context) error { _, err := e.Claim(ctx, req); return err },
		"extend":   func(ctx context.Context) error { _, err := e.Extend(ctx, time.Minute, leases[1]); return err },
		"settle":   func(ctx context.Context) error { _, err := e.Settle(ctx, done(leases[2])); return err },
		"exchange": func(ctx context.Context) error { _, _, err := e.Exchange(ctx, nil, req); return err },
		"redrive":  func(ctx context.Context) error { _, err := e.Redrive(ctx, by, leases[0].Job.ID); return err },
		"prune":    func(ctx context.Context) error { _, err := e.Prune(ctx, 10); return err },
		"fire": func(ctx context.Context) error {
			_, err := e.Fire(ctx, "s", time.Time{}, time.Now(), named("fired"))
			if errors.Is(err, queue.ErrFired) {
				return nil // by the call that was given up
			}
			return err
		},
		"intend":   func(ctx context.Context) error { _, err := store.Intend(ctx, try); return err },
		"seal":     func(ctx context.Context) error { _, err := store.Seal(ctx, leases[3].Job.ID, 1); return err },
		"withdraw": func(ctx context.Context) error { _, err := store.Withdraw(ctx, try); return err },
		"sweep": func(ctx context.Context) error {
			_, err := store.Sweep(ctx, 10, func(_ context.Context, ids []queue.ID) ([]bool, error) { return make([]bool, len(ids)), nil })
			return err
		},
	}
	for name, call := range calls {
		tx, err := e.DB().BeginTx(ctx, nil)
		must(t, err)
		brief, cancel := context.WithCancel(ctx)
		answer := make(chan error, 1)
		go func() { answer <- call(brief) }()
		select {
		case err := <-answer: // a sweep that found nothing
			must(t, err)
		default:
			eventually(t, "the writer has it", func() bool { return len(e.w.calls) == 0 })
			time.Sleep(2 * time.Millisecond)
			cancel()
			if err := <-answer; err != nil && !errors.Is(err, queue.ErrUnknownOutcome) && !errors.Is(err, context.Canceled) {
				t.Errorf("%s, given up: %v", name, err)
			}
		}
		cancel()
		must(t, tx.Rollback())
		must(t, e.Ping(ctx))
		if err := call(ctx); err != nil {
			t.Errorf("%s, repeated: %v", name, err)
		}
	}
	balanced(t, e)
}

// The function of a transaction uses its caller's variables: the caller goes on only when it has ended.
func TestGivingUpInside(t *testing.T) {
	t.Parallel()
	e := open(t, Config{})
	brief, cancel := context.WithCancel(ctx)
	ran := 0
	err := e.Atomically(brief, func(ctx context.Context, tx queue.SQL) error {
		cancel()
		time.Sleep(20 * time.Millisecond)
		ran++
		return enqueueIn(e, tx, named("a"))
	})
	if err != nil || ran != 1 {
		t.Errorf("ran %d times, %v", ran, err)
	}
	if _, err := e.Job(ctx, idOfKey("a")); err != nil {
		t.Error(err)
	}
	if err := e.Atomically(brief, func(context.Context, queue.SQL) error { ran++; return nil }); !errors.Is(err, context.Canceled) || ran != 1 {
		t.Errorf("with an ended context it ran %d times, %v", ran, err)
	}
}
