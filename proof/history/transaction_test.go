package history

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/twicehq/twice/queue"
)

// promises is an engine inside a transaction: it answers what it is told to.
type promises struct {
	queue.Tx
	lost map[queue.LeaseID]bool
}

var errLease = &queue.Error{Op: "test", Reason: queue.ErrLeaseLost}

func (p promises) Settle(_ context.Context, ends ...queue.Settlement) ([]error, error) {
	errs := make([]error, len(ends))
	for i, s := range ends {
		if p.lost[s.Lease.ID] {
			errs[i] = errLease
		}
	}
	return errs, nil
}

func (p promises) Hold(_ context.Context, l queue.Lease) error {
	if p.lost[l.ID] {
		return errLease
	}
	return nil
}

func (p promises) Enqueue(_ context.Context, jobs ...queue.Job) ([]queue.Receipt, error) {
	return make([]queue.Receipt, len(jobs)), nil
}

// The outcome of what a transaction asks is that of its commit. Only a lease that was lost before it did anything is
// lost whatever becomes of it.
func TestTransactionsOutcome(t *testing.T) {
	lease := func(n byte) queue.Lease { return queue.Lease{ID: queue.LeaseID{n}, Token: 1} }
	settle := func(n byte) queue.Settlement { return queue.Settlement{Lease: lease(n), State: queue.Done} }
	unknown := &queue.Error{Op: "test", Reason: queue.ErrUnknownOutcome}
	away := &queue.Error{Op: "test", Reason: queue.ErrUnavailable}
	for _, test := range []struct {
		name       string
		ask        func(queue.Tx)
		rolledBack bool
		err        error
		want       []Answer
	}{
		{"committed", func(tx queue.Tx) {
			try(tx.Settle(t.Context(), settle(1), settle(9)))
			try(0, tx.Hold(t.Context(), lease(2)))
		}, false, nil, []Answer{OK, LeaseLost, OK}},
		{"rolled back", func(tx queue.Tx) {
			try(tx.Enqueue(t.Context(), queue.Job{Kind: "k", Key: "1"}))
			try(tx.Settle(t.Context(), settle(1), settle(9)))
		}, true, errLease, []Answer{Refused, Refused, Refused}},
		{"rolled back, since the lease was lost", func(tx queue.Tx) { try(tx.Settle(t.Context(), settle(9))) }, true, errLease, []Answer{LeaseLost}},
		{"lost at the commit", func(tx queue.Tx) { try(tx.Settle(t.Context(), settle(1))) }, false, errLease, []Answer{LeaseLost}},
		{"one of two lost at the commit", func(tx queue.Tx) { try(tx.Settle(t.Context(), settle(1), settle(2))) }, false, errLease, []Answer{Refused, Refused}},
		{"nobody knows", func(tx queue.Tx) { try(tx.Settle(t.Context(), settle(1), settle(9))) }, false, unknown, []Answer{Unknown, LeaseLost}},
		{"not done", func(tx queue.Tx) { try(tx.Settle(t.Context(), settle(1))) }, false, away, []Answer{Failed}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := NewRecorder(nil)
			trans := r.Transaction("one")
			lost := map[queue.LeaseID]bool{{9}: true}
			test.ask(trans.In(promises{lost: map[queue.LeaseID]bool{{1}: true}})) // a run that the engine rolls back and makes again
			test.ask(trans.In(promises{lost: lost}))
			if len(r.Ops()) > 0 {
				t.Fatal("it is kept before its outcome is known")
			}
			trans.End(test.rolledBack, test.err)
			var got []Answer
			for _, op := range r.Ops() {
				got = append(got, op.Answer)
			}
			if fmt.Sprint(got) != fmt.Sprint(test.want) {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}

// A transaction that was told it holds a lease which another claim has is refused.
func TestHoldIsJudged(t *testing.T) {
	rapid.Check(t, holdIsJudged)
}

func holdIsJudged(t *rapid.T) {
	ops := drawn(t)
	var first, second Op
	for _, op := range ops {
		switch {
		case leased(op) && first.Lease == "":
			first = op
		case leased(op) && second.Lease == "":
			second = op
		}
	}
	hold := Op{N: 1000, Call: Hold, Job: first.Job, Lease: first.Lease, Token: first.Token, Start: first.End + 1, End: first.End + 1, Answer: OK}
	if report := Check(append(slices.Clip(ops), hold), Config{}); len(report.Breaches) > 0 {
		t.Error(report.Breaches)
	}
	hold.Start, hold.End = second.End+1, second.End+1
	report := Check(append(slices.Clip(ops), hold), Config{})
	if len(report.Breaches) != 1 || report.Breaches[0].Rule != Fence {
		t.Error(report.Breaches)
	}
	hold.Answer = LeaseLost
	if report := Check(append(slices.Clip(ops), hold), Config{}); len(report.Breaches) > 0 {
		t.Error(report.Breaches)
	}
	hold.Start, hold.End = first.End+1, first.End+1
	if report := Check(append(slices.Clip(ops), hold), Config{}); len(report.Breaches) != 1 || report.Breaches[0].Rule != Held {
		t.Error(report.Breaches)
	}
}
