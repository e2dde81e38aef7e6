package store_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/examples/orders/store"
	"github.com/twicehq/twice/outbox"
	"github.com/twicehq/twice/queue"
)

// Only the handler of a job can end it.
func TestFinish_outside_a_handler(t *testing.T) {
	s := newShelf(t)
	err := s.Finish(t.Context(), func(context.Context, service.Tx) error { t.Error("it was run"); return nil })
	var told *queue.Error
	if !errors.Is(err, queue.ErrInvalid) || !errors.As(err, &told) || told.Remedy == "" {
		t.Errorf("told %v", err)
	}
}

// Where jobs are worked on another engine, the rows and what is to be forwarded commit together, and the job
// that ends is left for its worker to settle.
func TestFinish_jobs_elsewhere(t *testing.T) {
	no := errors.New("no")
	for _, fails := range []error{nil, no} {
		e := openEngine(t, filepath.Join(t.TempDir(), "orders.db"))
		db, err := store.Open(t.Context(), e, store.Joins{
			Effects: e.LedgerApart().In, Elsewhere: func(tx queue.Enqueuer) queue.Enqueuer { return outbox.Into(tx, 0) }})
		if err != nil {
			t.Fatal(err)
		}
		s := &shelf{t, e, db}
		h := &queue.Holding{Lease: queue.Lease{Job: queue.Job{ID: queue.NewID("k", "job"), Kind: "k", Queue: "q", Key: "job"}, Token: 1}}
		err = s.Finish(queue.WithHolding(t.Context(), h), func(ctx context.Context, tx service.Tx) error {
			return errors.Join(everything(ctx, tx, "o-1"), fails)
		})
		if !errors.Is(err, fails) || h.Settled() {
			t.Errorf("told %v, settled %v", err, h.Settled())
		}
		want := 1
		if fails != nil {
			want = 0
		}
		box, err := e.List(t.Context(), queue.Query{Queue: outbox.Queue})
		s.ok(err)
		here, err := e.List(t.Context(), queue.Query{Queue: "q"})
		s.ok(err)
		if got := s.totals(); len(box.Records) != want || len(here.Records) != 0 || got.Charges != want || got.Receipts != want {
			t.Errorf("fails %v: %d jobs to be forwarded, %d here, %+v; want %d of each but none here", fails, len(box.Records), len(here.Records), got, want)
		}
	}
}
