package memory

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/twicehq/twice/queue"
)

// Settle implements [queue.Engine].
func (e *Engine) Settle(ctx context.Context, ends ...queue.Settlement) ([]error, error) {
	if err := e.fits("settle", len(ends)); err != nil {
		return nil, err
	}
	now, leave, err := e.enter(ctx, "settle")
	if err != nil {
		return nil, err
	}
	defer leave()
	return e.settleAll(ends, now), nil
}

func (e *Engine) settleAll(ends []queue.Settlement, now time.Time) []error {
	errs := make([]error, len(ends))
	for i, s := range ends {
		errs[i] = e.settle(s, now)
	}
	return errs
}

// settle needs: the row's lease_id is mine. Then done, dead with its list of effects, or queued at run_at;
// the named counter +1; Next enqueued with it. The same settlement again, until the next claim: no-op.
func (e *Engine) settle(s queue.Settlement, now time.Time) error {
	if err := s.Check(); err != nil {
		return err
	}
	r := e.jobs[s.Lease.Job.ID]
	this := settled{s.Lease.ID, s.State, s.Outcome}
	if r != nil && r.last == this {
		return nil
	}
	if !r.held(s.Lease) {
		return lost("settle", s.Lease, r)
	}
	next, err := e.prepareNext(s, now)
	if err != nil {
		return err
	}

	e.take(r)
	e.keepText(r, s, now)
	switch s.Count {
	case queue.CountFailure:
		r.counts.Failures++
	case queue.CountInterruption:
		r.counts.Interruptions++
	case queue.CountSnooze:
		r.counts.Snoozes++
	}
	e.turn(r, s.State)
	e.release(r)
	r.last = this
	switch s.State {
	case queue.Queued:
		r.at = latest(s.RunAt.Truncate(queue.Resolution).UTC(), now)
		r.runAt = r.at
		r.lone = r.lone || s.Lone
	case queue.Dead:
		r.reason, r.endedAt = s.Reason, now
		if r.effects = slices.Clone(s.Effects); s.Effects == nil { // then what its own ledger has
			r.effects = e.effects.listed(r.job.ID)
		}
	case queue.Done:
		e.end(r, now)
		if r.job.KeepFor == 0 {
			r.strip()
		}
	}
	e.place(r, now)
	if r.lone {
		e.rouse(e.line(r.job.Queue))
	}
	for _, j := range next {
		e.enqueue(j, now)
	}
	return nil
}

// end begins the time after which the row may be pruned.
func (e *Engine) end(r *row, now time.Time) {
	r.endedAt = now
	r.at = now.Add(max(e.cfg.UniqueFor, r.job.KeepFor))
}

// keepText keeps what the attempt leaves behind. What is too large is dropped, and said so: it never
// hinders the settlement.
func (e *Engine) keepText(r *row, s queue.Settlement, now time.Time) {
	text := s.Error
	tooLarge := func(what string, n int) {
		if text != "" {
			text += "; "
		}
		text += fmt.Sprintf("its %s was dropped: it has %d bytes, the limit is %d", what, n, e.cfg.MaxPayload)
	}
	if s.State == queue.Done && s.Result != nil {
		if len(s.Result) <= e.cfg.MaxPayload {
			r.result = bytes.Clone(s.Result)
		} else {
			tooLarge("result", len(s.Result))
		}
	}
	if s.State == queue.Queued && s.Checkpoint != nil {
		if len(s.Checkpoint) <= e.cfg.MaxPayload {
			r.checkpoint = bytes.Clone(s.Checkpoint)
		} else {
			tooLarge("checkpoint", len(s.Checkpoint))
		}
	}
	text = cutError(text)
	if text != "" {
		r.err = text
	}
	r.attempted(now, s.Outcome, text, s.Alone)
}

// cutError cuts an error's text at MaxError, and says so at its end.
func cutError(text string) string {
	if len(text) <= queue.MaxError {
		return text
	}
	note := fmt.Sprintf(" … cut: it had %d bytes", len(text))
	return text[:queue.MaxError-len(note)] + note
}

// prepareNext checks the follow-ups before anything is changed: a duplicate is well, anything worse
// refuses the settlement.
func (e *Engine) prepareNext(s queue.Settlement, now time.Time) ([]queue.Job, error) {
	refuse := func(err error) ([]queue.Job, error) {
		return nil, &queue.Error{Op: "settle", Subject: s.Lease.Job.ID.String(), Reason: err, Detail: "a job to follow it cannot be stored, so nothing was changed"}
	}
	prints := map[queue.ID]uint64{}
	for _, j := range s.Next {
		j, err := j.Prepared(e.cfg.MaxPayload, now)
		if err != nil {
			return refuse(err)
		}
		if err := e.inTime(j, now); err != nil {
			return refuse(err)
		}
		print, known := prints[j.ID]
		if r, ok := e.jobs[j.ID]; ok {
			print, known = r.job.Fingerprint, true
		}
		switch {
		case known && print != j.Fingerprint:
			return refuse(failed("enqueue", j.ID, queue.ErrConflict, fmt.Sprintf("%s/%q", j.Kind, j.Key)))
		case !known:
			if err := e.afterMark(j); err != nil {
				return refuse(err)
			}
		}
		prints[j.ID] = j.Fingerprint
	}
	return s.Next, nil
}
