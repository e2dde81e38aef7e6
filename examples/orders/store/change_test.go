package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// lease enqueues a job and leases it.
func (s *shelf) lease(key string, ttl time.Duration) *queue.Holding {
	s.Helper()
	_, err := s.engine.Enqueue(s.Context(), queue.Job{Kind: "k", Queue: "q", Key: key})
	s.ok(err)
	return s.claim(ttl)
}

// claim leases the one job, as soon as no lease of it is left.
func (s *shelf) claim(ttl time.Duration) *queue.Holding {
	s.Helper()
	leases, err := s.engine.Claim(s.Context(), queue.Claim{ID: queue.NewClaimID(), Worker: "w", Queues: []string{"q"}, Kinds: []string{"k"}, Max: 1, TTL: ttl, Wait: 20 * time.Second})
	s.ok(err)
	if len(leases) != 1 {
		s.Fatal("no job is due")
	}
	return &queue.Holding{Lease: leases[0]}
}

// everything does one of each thing that a transaction can do to an order, and leaves a job to be done.
func everything(ctx context.Context, tx service.Tx, order string) error {
	_, err := ledger.Within(ctx, tx.Effects(), "step", func(context.Context) (int, error) { return 7, nil })
	return errors.Join(err, rows(ctx, tx, order))
}

// rows is everything but the record of an effect.
func rows(ctx context.Context, tx service.Tx, order string) error {
	_, err := tx.Jobs().Enqueue(ctx, queue.Job{Kind: "k", Queue: "q", Key: "next-" + order})
	return errors.Join(err,
		tx.AddOrder(ctx, placed(order)), tx.SetState(ctx, order, service.Failed, "for a reason"),
		tx.AddCharge(ctx, paid("c-"+order, order, 1)), tx.AddReceipt(ctx, service.Receipt{OrderID: order, MessageID: "m@shop.test", SentAt: at}),
		tx.AddReport(ctx, service.Report{Due: at, Until: at, Differences: []service.Difference{{Kind: service.DoubleCharge, ChargeID: "c-" + order}}}))
}

// What a transaction does is there when it commits, all of it; and when it fails nothing is: no row, no job,
// no record of an effect, no settlement. Its own error comes back as it is.
func TestTransactions_whole_or_not_at_all(t *testing.T) {
	no := errors.New("no")
	for name, c := range map[string]struct {
		does   func(context.Context, service.Tx, string) error // everything
		finish bool
		fails  error
		lost   bool // the job's lease, before the transaction begins
		ended  bool // so is the job
		kept   bool // so is what was done
	}{
		"a change":                           {kept: true},
		"a change that fails":                {fails: no},
		"the end of a job":                   {finish: true, ended: true, kept: true},
		"the end of a job that fails":        {finish: true, fails: no},
		"the end of a job that others have":  {does: rows, finish: true, fails: queue.ErrLeaseLost, lost: true},
		"a change by a job that others have": {fails: queue.ErrLeaseLost, lost: true}, // by its effect
	} {
		t.Run(name, func(t *testing.T) {
			if c.does == nil {
				c.does = everything
			}
			s := newShelf(t)
			ttl := time.Minute
			if c.lost {
				ttl = time.Millisecond
			}
			h := s.lease("job", ttl)
			if c.lost {
				s.claim(time.Minute)
			}
			run := s.Change
			if c.finish {
				run = s.Finish
			}
			err := run(queue.WithHolding(t.Context(), h), func(ctx context.Context, tx service.Tx) error {
				if err := c.does(ctx, tx, "o-1"); err != nil {
					return err
				}
				if errors.Is(c.fails, no) {
					return no
				}
				return nil
			})
			if !errors.Is(err, c.fails) || h.Settled() != c.ended {
				t.Errorf("told %v, settled %v", err, h.Settled())
			}
			job, err := s.engine.Job(t.Context(), h.Lease.Job.ID)
			if s.ok(err); (job.State == queue.Done) != c.ended {
				t.Errorf("the job is %s", job.State)
			}
			_, err = s.engine.Job(t.Context(), queue.NewID("k", "next-o-1"))
			next := err == nil
			entries, err := s.engine.Ledger().Entries(t.Context(), h.Lease.Job.ID)
			s.ok(err)
			stored := s.totals()
			want := 0
			if c.kept {
				want = 1
			}
			if next != c.kept || len(entries) != want || stored.Orders[service.Failed] != want || stored.Charges != want || stored.Receipts != want || stored.Reconciliations != want || stored.Differences != want {
				t.Errorf("kept: the next job %v, %d effects, %+v; want %d of each", next, len(entries), stored, want)
			}
		})
	}
}

// A transaction sees what it has done so far, and nobody else does until it commits.
func TestChange_reads_its_own(t *testing.T) {
	s := newShelf(t)
	want := placed("o-1")
	want.State, want.Failure = service.Failed, "for a reason"
	s.ok(s.Change(t.Context(), func(ctx context.Context, tx service.Tx) error {
		if _, found, err := tx.Order(ctx, "o-1"); found || err != nil {
			t.Errorf("before: found %v, %v", found, err)
		}
		if err := errors.Join(tx.AddOrder(ctx, placed("o-1")), tx.SetState(ctx, "o-1", service.Failed, "for a reason")); err != nil {
			return err
		}
		if got, found, err := tx.Order(ctx, "o-1"); !found || err != nil || got != want {
			t.Errorf("inside: found %v, %v: %+v", found, err, got)
		}
		if _, err := s.Order(t.Context(), "o-1"); !errors.Is(err, service.ErrNotFound) {
			t.Errorf("outside: %v", err)
		}
		return nil
	}))
	if got, err := s.Order(t.Context(), "o-1"); err != nil || got != want {
		t.Errorf("afterwards: %+v, %v", got, err)
	}
}
