package sqlite

import (
	"context"
	"fmt"
	"time"

	"github.com/twicehq/twice/queue"
)

// Settle implements [queue.Engine].
func (e *Engine) Settle(ctx context.Context, ends ...queue.Settlement) ([]error, error) {
	if err := batch("settle", len(ends)); err != nil {
		return nil, err
	}
	var answers []error
	err := e.write(ctx, "settle", phaseSettle, func(t *txn) (err error) {
		answers, err = t.settle(ends)
		return err
	})
	if err != nil {
		return nil, err
	}
	return answers, nil
}

// Exchange implements [queue.Exchanger]: both in one commit.
func (e *Engine) Exchange(ctx context.Context, ends []queue.Settlement, req queue.Claim) ([]error, []queue.Lease, error) {
	if err := batch("exchange", len(ends)); err != nil {
		return nil, nil, err
	}
	if err := checkClaim(&req); err != nil {
		return nil, nil, err
	}
	var answers []error
	var leases []queue.Lease
	err := e.write(ctx, "exchange", phaseClaim, func(t *txn) (err error) {
		if answers, err = t.settle(ends); err != nil {
			return err
		}
		leases, _, err = t.claim(req)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return answers, leases, nil
}

// settle answers each settlement. Most are plain ends of jobs that leave nothing to keep: those go together.
func (t *txn) settle(ends []queue.Settlement) ([]error, error) {
	if err := t.flush(); err != nil {
		return nil, err
	}
	answers := make([]error, len(ends))
	var plain []candidate
	at := make(map[int64]int, len(ends))
	for i := range ends {
		if answers[i] = ends[i].Check(); answers[i] != nil {
			continue
		}
		if seq := refSeq(ends[i].Lease.Ref); seq > 0 && ends[i].State == queue.Done && len(ends[i].Next) == 0 {
			if _, twice := at[seq]; !twice {
				at[seq] = i
				plain = append(plain, candidate{seq: seq})
				continue
			}
		}
		var err error
		if answers[i], err = t.settleOne(&ends[i]); err != nil {
			return nil, err
		}
	}
	return answers, t.settlePlain(ends, answers, plain, at)
}

// settlePlain ends jobs that are done and need nothing else; those that turn out otherwise go one by one.
func (t *txn) settlePlain(ends []queue.Settlement, answers []error, plain []candidate, at map[int64]int) error {
	held := make([]candidate, 0, len(plain))
	err := t.glance(plain, func(j *job) {
		if l := t.view.lanes[j.lane]; l != nil && j.keepFor == 0 && j.held(&ends[at[j.seq]].Lease) {
			delete(at, j.seq)
			held = append(held, candidate{seq: j.seq})
			t.moved(l, queue.Running, queue.Done, 1)
		}
	})
	if err != nil {
		return err
	}
	if err := t.finishRows(held); err != nil {
		return err
	}
	for _, i := range at { // not among the held
		if answers[i], err = t.settleOne(&ends[i]); err != nil {
			return err
		}
	}
	return nil
}

// finishRows leaves of each job what UniqueFor needs.
func (t *txn) finishRows(held []candidate) error {
	const keep = "INSERT INTO twice_ended(" + endedColumns + ") SELECT seq, id, lane, token, fingerprint, created, run_at, ?, fresh_at, claim FROM twice_job"
	if err := t.changeBySeq(keep, held, t.now); err != nil {
		return err
	}
	return t.changeBySeq("DELETE FROM twice_job", held)
}

// settleOne gives the settlement's own answer, and the error that spoils the transaction.
func (t *txn) settleOne(s *queue.Settlement) (answer, err error) {
	h, err := t.locate(s.Lease)
	if unreadable(err) {
		return err, nil
	}
	if err != nil {
		return nil, err
	}
	if h.job == nil || !h.job.held(&s.Lease) {
		return t.notHeld(s, h), nil
	}
	j, l := h.job, t.view.lanes[h.job.lane]
	if refusal, err := t.follow(s); refusal != nil || err != nil {
		return refusal, err
	}
	j.attempted(attempt{N: j.token, Worker: j.worker, Start: j.claimed, End: t.now, Outcome: s.Outcome, Settled: s.State, Error: []byte(s.Error), Alone: s.Alone})
	if s.Error != "" {
		j.err = cutText(s.Error)
	}
	switch s.Count {
	case queue.CountFailure:
		j.counts.Failures++
	case queue.CountInterruption:
		j.counts.Interruptions++
	case queue.CountSnooze:
		j.counts.Snoozes++
	}
	t.moved(l, queue.Running, s.State, 1)
	j.state, j.worker, j.due = s.State, "", 0
	switch s.State {
	case queue.Queued:
		j.due = max(t.now, millis(s.RunAt))
		j.runAt = j.due
		j.lone = j.lone || s.Lone
		if s.Checkpoint != nil {
			j.checkpoint = s.Checkpoint
		}
		if j.due <= t.now {
			t.wakes(l.laneKey)
		}
	case queue.Dead:
		j.ended, j.reason, j.effects = t.now, s.Reason, s.Effects
		if s.Effects == nil { // nobody has asked the ledger: the one beside the jobs is sealed in this same write
			if j.effects, err = t.sealed(j.id, j.token); err != nil {
				return nil, err
			}
		}
	case queue.Done:
		if j.keepFor == 0 {
			return nil, t.finishRows([]candidate{{seq: j.seq}})
		}
		j.ended = t.now
		j.pruneAt = t.now + max(j.keepFor, t.e.cfg.UniqueFor.Milliseconds())
		if j.result = s.Result; len(s.Result) > t.e.cfg.MaxPayload {
			j.result = nil
			j.err = fmt.Sprintf("its result of %d bytes was not kept: the limit is %d", len(s.Result), t.e.cfg.MaxPayload)
		}
	}
	return nil, t.save(j)
}

// follow enqueues what comes next. Anything worse than a duplicate refuses the settlement, with nothing changed.
func (t *txn) follow(s *queue.Settlement) (refusal, err error) {
	if len(s.Next) == 0 {
		return nil, nil
	}
	// Look before anything is written: the transaction is not only ours.
	seen := map[queue.ID]uint64{}
	for i, next := range s.Next {
		next, err := next.Prepared(t.e.cfg.MaxPayload, instant(t.now))
		if err != nil {
			return err, nil
		}
		h, err := t.known(next.ID)
		if unreadable(err) {
			return err, nil
		}
		if err != nil {
			return nil, err
		}
		fingerprint, held := seen[next.ID]
		switch {
		case h.job != nil:
			fingerprint, held = h.job.fingerprint, true
		case h.ended != nil:
			fingerprint, held = h.ended.fingerprint, true
		default:
			if refusal := t.marked(next); refusal != nil {
				return refusal, nil
			}
		}
		if refusal := t.ahead(next); refusal != nil {
			return refusal, nil
		}
		if held && fingerprint != next.Fingerprint {
			return &queue.Error{Op: "settle", Subject: s.Lease.Job.ID.String(), Reason: queue.ErrConflict,
				Detail: fmt.Sprintf("follow-up %d, %s/%s, is held by a job with other content", i+1, next.Kind, next.ID), Remedy: "give the follow-up a key of its own"}, nil
		}
		seen[next.ID] = next.Fingerprint
	}
	_, err = t.enqueue(s.Next)
	return nil, err
}

// notHeld answers for a lease that is not held: success where this very settlement was applied and no claim
// came since.
func (t *txn) notHeld(s *queue.Settlement, h holder) error {
	if e := h.ended; e != nil && e.claim.Lease(e.id, e.token) == s.Lease.ID && s.State == queue.Done {
		return nil
	}
	if j := h.job; j != nil && j.state != queue.Running && j.lease() == s.Lease.ID && j.token == s.Lease.Token && len(j.attempts) > 0 {
		last := j.attempts[len(j.attempts)-1]
		if last.N == j.token && last.Outcome == s.Outcome && last.Settled == s.State {
			return nil
		}
	}
	return t.lost("settle", s.Lease, h)
}

// lost says that a lease is no longer held, and why.
func (t *txn) lost(op string, l queue.Lease, h holder) error {
	e := &queue.Error{Op: op, Subject: l.Job.ID.String(), Reason: queue.ErrLeaseLost}
	switch j := h.job; {
	case h.none():
		e.Detail = "the job is not known any more"
	case h.ended != nil:
		e.Detail = fmt.Sprintf("attempt %d finished it", h.ended.token)
	case j.state == queue.Cancelled:
		e.Detail, e.Cause = "a person ended it", queue.ErrCancelled
	case j.token > l.Token:
		e.Detail = fmt.Sprintf("attempt %d has replaced attempt %d", j.token, l.Token)
	default:
		e.Detail = fmt.Sprintf("the job is %s", j.state)
	}
	return e
}

// Extend implements [queue.Engine].
func (e *Engine) Extend(ctx context.Context, ttl time.Duration, leases ...queue.Lease) ([]error, error) {
	if err := batch("extend", len(leases)); err != nil {
		return nil, err
	}
	if ttl < queue.Resolution || ttl > 24*time.Hour {
		return nil, &queue.Error{Op: "extend", Reason: queue.ErrInvalid, Detail: fmt.Sprintf("the ttl is %s, not 1ms to 24h", ttl)}
	}
	var answers []error
	err := e.write(ctx, "extend", phaseSettle, func(t *txn) (err error) {
		answers, err = t.extend(ttl, leases)
		return err
	})
	if err != nil {
		return nil, err
	}
	return answers, nil
}

func (t *txn) extend(ttl time.Duration, leases []queue.Lease) ([]error, error) {
	if err := t.flush(); err != nil {
		return nil, err
	}
	answers := make([]error, len(leases))
	at := make(map[int64]int, len(leases))
	named := make([]candidate, 0, len(leases))
	for i := range leases {
		if seq := refSeq(leases[i].Ref); seq > 0 {
			at[seq], named = i, append(named, candidate{seq: seq})
		}
	}
	held := make([]candidate, 0, len(leases))
	sure := make([]bool, len(leases))
	err := t.glance(named, func(j *job) {
		if i := at[j.seq]; j.held(&leases[i]) && !sure[i] {
			sure[i] = true
			held = append(held, candidate{seq: j.seq})
		}
	})
	if err != nil {
		return nil, err
	}
	for i, l := range leases {
		if sure[i] {
			continue
		}
		h, err := t.locate(l)
		if unreadable(err) {
			answers[i] = err
			continue
		}
		if err != nil {
			return nil, err
		}
		if h.job == nil || !h.job.held(&l) {
			answers[i] = t.lost("extend", l, h)
			continue
		}
		held = append(held, candidate{seq: h.job.seq})
	}
	if err := t.touch(1000); err != nil {
		return nil, err
	}
	return answers, t.changeBySeq("UPDATE twice_job SET due = ?", held, t.now+ttl.Milliseconds())
}
