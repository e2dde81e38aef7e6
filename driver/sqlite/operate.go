package sqlite

import (
	"context"
	"fmt"

	"github.com/twicehq/twice/queue"
)

// Cancel implements [queue.Operator]. The ledger in this file is sealed in the same write.
func (e *Engine) Cancel(ctx context.Context, by queue.Actor, cuts ...queue.Cut) ([]error, error) {
	ids := make([]queue.ID, len(cuts))
	for i, c := range cuts {
		ids[i] = c.ID
	}
	return e.operate(ctx, "cancel", by, ids, func(t *txn, i int, j *job) (string, error) {
		if j.state.Ended() {
			return "", wrongState("cancel", j, "only a queued or running job can be cancelled")
		}
		cut := cuts[i]
		if cut.Sealed && cut.Token != j.token {
			return "", &queue.Error{Op: "cancel", Subject: j.id.String(), Reason: queue.ErrLeaseLost,
				Detail: fmt.Sprintf("it was claimed since the ledger was sealed: token %d, now %d", cut.Token, j.token), Remedy: "seal again"}
		}
		effects, err := t.sealed(j.id, j.token)
		if err != nil {
			return "", err
		}
		if cut.Effects != nil {
			effects = cut.Effects
		}
		t.moved(t.view.lanes[j.lane], j.state, queue.Cancelled, 1)
		if j.state == queue.Running {
			j.attempted(attempt{N: j.token, Worker: j.worker, Start: j.claimed, End: t.now, Outcome: queue.OutcomeCancelled, Alone: j.lone})
			j.claim = queue.ClaimID{}
		}
		j.state, j.reason, j.effects, j.due, j.worker = queue.Cancelled, queue.ReasonCancelled, effects, 0, ""
		t.rest(j)
		return cut.Note, t.save(j)
	})
}

// rest notes when an ended job may be forgotten.
func (t *txn) rest(j *job) {
	j.ended = t.now
	j.pruneAt = t.now + max(j.keepFor, t.e.cfg.UniqueFor.Milliseconds())
}

// Redrive implements [queue.Operator].
func (e *Engine) Redrive(ctx context.Context, by queue.Actor, ids ...queue.ID) ([]error, error) {
	return e.operate(ctx, "redrive", by, ids, func(t *txn, _ int, j *job) (string, error) {
		if j.state == queue.Dead && j.reason == queue.ReasonDoubt {
			return "", &queue.Error{Op: "redrive", Subject: j.id.String(), Reason: queue.ErrInDoubt, Detail: "nobody can tell whether an effect of it happened",
				Remedy: "find out, then `twice dead resolve`"}
		}
		return "", t.redrive("redrive", j)
	})
}

// Resolved implements [queue.Operator].
func (e *Engine) Resolved(ctx context.Context, by queue.Actor, ids ...queue.ID) ([]error, error) {
	return e.operate(ctx, "resolve", by, ids, func(t *txn, _ int, j *job) (string, error) {
		if j.state != queue.Dead || j.reason != queue.ReasonDoubt {
			return "", wrongState("resolve", j, "only a dead job in doubt can be resolved")
		}
		return "", t.redrive("resolve", j)
	})
}

// redrive gives a dead job fresh budgets; its id, token, attempts and ledger stay.
func (t *txn) redrive(op string, j *job) error {
	if j.state != queue.Dead {
		return wrongState(op, j, "only a dead job can be sent back")
	}
	if j.counts.Redrives >= queue.MaxRedrives {
		return &queue.Error{Op: op, Subject: j.id.String(), Reason: queue.ErrCapped,
			Detail: fmt.Sprintf("it was sent back %d times", j.counts.Redrives), Remedy: "discard it, or make a new job"}
	}
	l := t.view.lanes[j.lane]
	j.counts = queue.Counts{Redrives: j.counts.Redrives + 1}
	j.state, j.reason, j.effects, j.lone, j.ended = queue.Queued, "", nil, false, 0
	j.due, j.runAt = t.now, t.now
	j.freshAt = max(j.fresh(), t.now)
	t.moved(l, queue.Dead, queue.Queued, 1)
	t.wakes(l.laneKey)
	return t.save(j)
}

// Discard implements [queue.Operator].
func (e *Engine) Discard(ctx context.Context, by queue.Actor, ids ...queue.ID) ([]error, error) {
	return e.operate(ctx, "discard", by, ids, func(t *txn, _ int, j *job) (string, error) {
		if j.state != queue.Dead {
			return "", wrongState("discard", j, "only a dead job can be discarded")
		}
		t.moved(t.view.lanes[j.lane], queue.Dead, queue.Cancelled, 1)
		j.state, j.reason = queue.Cancelled, queue.ReasonDiscarded
		t.rest(j)
		return "", t.save(j)
	})
}

func wrongState(op string, j *job, remedy string) error {
	return &queue.Error{Op: op, Subject: j.id.String(), Reason: queue.ErrState, Detail: "it is " + j.state.String(), Remedy: remedy}
}

// operate changes jobs in a person's name; change answers with a note for the audit row, or with a refusal that
// it gives before it writes.
func (e *Engine) operate(ctx context.Context, op string, by queue.Actor, ids []queue.ID, change func(t *txn, i int, j *job) (note string, err error)) ([]error, error) {
	if err := by.Check(op); err != nil {
		return nil, err
	}
	if err := batch(op, len(ids)); err != nil {
		return nil, err
	}
	var answers []error
	err := e.write(ctx, op, phaseOther, func(t *txn) error {
		if err := t.flush(); err != nil {
			return err
		}
		answers = make([]error, len(ids))
		for i, id := range ids {
			h, err := t.find(id)
			if unreadable(err) {
				answers[i] = err
				continue
			}
			if err != nil {
				return err
			}
			switch {
			case h.none():
				answers[i] = notFound(op, id)
				continue
			case h.job == nil:
				answers[i] = wrongState(op, &job{id: id, state: queue.Done}, "it is done")
				continue
			}
			note, err := change(t, i, h.job)
			if refusal, ok := err.(*queue.Error); ok && refusal.Reason != queue.ErrCorrupt {
				answers[i] = refusal
				continue
			}
			if err != nil {
				return err
			}
			if err := t.audit(by, op, t.view.lanes[h.job.lane].queue, id, note); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return answers, nil
}

func notFound(op string, id queue.ID) error {
	return &queue.Error{Op: op, Subject: id.String(), Reason: queue.ErrNotFound, Detail: "the engine does not know it (any more)",
		Remedy: "ids of done jobs are known for UniqueFor"}
}

// audit writes who changed what, in the write that changes it.
func (t *txn) audit(by queue.Actor, what, queueName string, id queue.ID, note string) error {
	var jobID any
	if !id.IsZero() {
		jobID = id[:]
	}
	_, err := t.s.exec("INSERT INTO twice_change(at, who, why, what, queue, job, note) VALUES (?, ?, ?, ?, ?, ?, ?)",
		t.now, by.Name, by.Why, what, queueName, jobID, note)
	return err
}

// Pause implements [queue.Pauser].
func (e *Engine) Pause(ctx context.Context, by queue.Actor, name string) error {
	return e.setPaused(ctx, "pause", by, name, true)
}

// Resume implements [queue.Pauser].
func (e *Engine) Resume(ctx context.Context, by queue.Actor, name string) error {
	return e.setPaused(ctx, "resume", by, name, false)
}

func (e *Engine) setPaused(ctx context.Context, op string, by queue.Actor, name string, paused bool) error {
	if err := by.Check(op); err != nil {
		return err
	}
	if err := queue.CheckName("queue", name); err != nil {
		return err
	}
	return e.write(ctx, op, phaseOther, func(t *txn) error {
		q, err := t.queueOf(name)
		if err != nil {
			return err
		}
		n := int64(0)
		if paused {
			n = 1
		}
		if _, err := t.s.exec("UPDATE twice_queue SET paused = ? WHERE queue = ?", n, q.id); err != nil {
			return err
		}
		q.paused = paused
		for _, l := range t.view.sorted {
			if l.q == q && !paused {
				t.wakes(l.laneKey)
			}
		}
		return t.audit(by, op, name, queue.ID{}, "")
	})
}
