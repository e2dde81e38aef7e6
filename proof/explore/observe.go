package explore

import (
	"context"
	"errors"
	"fmt"

	"github.com/twicehq/twice/proof/history"
	"github.com/twicehq/twice/queue"
)

// look gives the row as far as it can be seen without changing it. Of a job that is not known only that is seen; what
// the protocol says of its token is taken for granted then.
func (w *world) look(want Row) (Row, error) {
	row := Row{}
	if w.timed {
		mark, err := w.engine.Mark(context.Background(), "q")
		if err != nil {
			return row, err
		}
		row.Now, row.Mark = instant(w.at), passed(mark)
	}
	r, err := w.engine.Job(context.Background(), job.ID)
	if errors.Is(err, queue.ErrNotFound) {
		row.Token = want.Token
		return row, nil
	}
	if err != nil {
		return row, err
	}
	if w.timed {
		row.Fresh = instant(r.FreshAt)
	}
	row.Job = history.Job{Known: true, Print: r.Job.Fingerprint, State: r.State, Token: r.Token, Counts: r.Counts, Lone: r.Lone,
		Doubt: r.State == queue.Dead && r.Reason == queue.ReasonDoubt}
	if r.State == queue.Running && r.LeaseUntil.After(w.at) {
		row.Until = still
	}
	if row.Listed, err = bits(r.Effects); err != nil {
		return row, err
	}
	if r.State == queue.Queued && r.RunAt.After(w.at) {
		row.Due = still
	}
	return row, nil
}

// holders gives the leases under which the engine lets a change happen: at most one, in order.
func (w *world) holders(token int64) (held []name) {
	for t := int64(1); t <= token; t++ {
		for n := int64(1); n <= t; n++ {
			if w.engine.Under(w.lease(name{n, t}), func() error { return nil }) == nil {
				held = append(held, name{n, t})
			}
		}
	}
	return held
}

var endings = []history.End{
	{State: queue.Done, Outcome: queue.OutcomeDone}, {State: queue.Queued, Outcome: queue.OutcomeFailed}, {State: queue.Dead, Outcome: queue.OutcomeFailed},
	{State: queue.Dead, Outcome: queue.OutcomeBuried}, {State: queue.Queued, Outcome: queue.OutcomeInterrupted}, {State: queue.Dead, Outcome: queue.OutcomeInterrupted},
	{State: queue.Queued, Outcome: queue.OutcomeSnoozed}, {State: queue.Dead, Outcome: queue.OutcomeSnoozed},
}

// reveal gives the whole row. It asks the engine which settlement it takes for a repeated one, which may change
// things: the world is of no use afterwards.
func (w *world) reveal(want Row) (Row, error) {
	j, err := w.look(want)
	if err != nil {
		return j, err
	}
	if err := w.books(j.Known); err != nil {
		return j, err
	}
	held := w.holders(j.Token)
	if len(held) > 1 {
		return j, fmt.Errorf("%d leases are held at once", len(held))
	}
	if len(held) == 1 {
		j.Lease = held[0].text()
	}
	for n, l := range w.leases {
		for _, end := range endings {
			end.Lease = n.text()
			s := queue.Settlement{Lease: l, State: end.State, Outcome: end.Outcome}
			if end.State == queue.Dead {
				s.Reason = queue.ReasonBuried
			}
			if end.Lease == j.Lease || first(w.engine.Settle(context.Background(), s)) != history.OK {
				continue
			}
			if j.State == queue.Running {
				return j, fmt.Errorf("the job is %s, and a settlement %s (%s) under the lease of token %d is taken", describe(j.Job), end.State, end.Outcome, n.token)
			}
			j.Last = end
		}
	}
	if j.State == queue.Running && j.Until == still { // a silence ends the lease only if it was spared before
		w.at = w.at.Add(2 * ttl)
		if got := w.roused(context.Background()); got != history.OK {
			return j, errors.New(string(got))
		}
		r, err := w.engine.Job(context.Background(), job.ID)
		if err != nil {
			return j, err
		}
		j.Spared = !r.LeaseUntil.After(w.at)
	}
	return j, nil
}

// books checks that what was accepted adds up.
func (w *world) books(known bool) error {
	all, err := w.engine.Audit(context.Background())
	if err != nil {
		return err
	}
	for _, b := range all {
		t := b.Found
		if found := t.Queued + t.Running + t.Done + t.Dead + t.Cancelled; b.Missing() != 0 || known != (found == 1) {
			return fmt.Errorf("the books do not add up: accepted %d, found %+v, pruned %d", b.Accepted, t, b.Pruned)
		}
	}
	return nil
}
