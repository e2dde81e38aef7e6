package main

import (
	"context"
	"fmt"
	"time"

	"github.com/twicehq/twice/queue"
)

// receiptView is a receipt in JSON.
type receiptView struct {
	ID           queue.ID     `json:"id"`
	Status       queue.Status `json:"status"`
	Holder       queue.ID     `json:"holder,omitzero"`
	HolderState  string       `json:"holder_state,omitempty"`
	HolderRunAt  time.Time    `json:"holder_run_at,omitzero"`
	GuardedUntil time.Time    `json:"guarded_until,omitzero"`
	Durability   string       `json:"durability"`
	Error        *fault       `json:"error,omitempty"`
}

// receipt tells what became of a job handed in. It fails with errBad where that was not accepted, nor known already.
func (s *session) receipt(ctx context.Context, engine queue.Engine, job queue.Job, r queue.Receipt) error {
	v := receiptView{ID: r.ID, Status: r.Status, Holder: r.Holder, HolderRunAt: r.HolderRunAt, GuardedUntil: r.GuardedUntil, Durability: engine.Traits().Durability}
	if !r.Holder.IsZero() {
		v.HolderState = r.HolderState.String()
	}
	if r.Status == queue.Conflict {
		r.Err = s.conflict(ctx, engine, job, r)
	}
	if r.Err != nil {
		f := explain(r.Err)
		v.Error = &f
	}
	var err error
	if s.json {
		err = s.emit(v)
	} else {
		err = s.sayReceipt(v, job)
	}
	if err == nil && (r.Err != nil || r.Status == queue.Refused || r.Status == queue.Conflict) {
		return errBad
	}
	return err
}

func (s *session) sayReceipt(v receiptView, job queue.Job) error {
	if v.Error != nil {
		return s.write(s.Stderr, []byte(v.Error.text(s)))
	}
	status := v.Status.String()
	if err := s.say("%s  %s", s.paint(ink(status), status), v.ID); err != nil {
		return err
	}
	lines := [][2]string{{"kind", plain(job.Kind)}, {"key", named(job.Key)}, {"queue", plain(job.Queue)}}
	if v.Status == queue.Duplicate {
		lines = append(lines, [2]string{"holder", fmt.Sprintf("%s, %s: the same job, so nothing was added", v.Holder, v.HolderState)}, [2]string{"its run", s.at(v.HolderRunAt)})
	} else {
		due := "at once"
		if job.RunAt.After(s.Now()) {
			due = s.at(job.RunAt)
		}
		lines = append(lines, [2]string{"due", due})
	}
	guard := "for ever: a repeat with the same --origin never runs a second time"
	if job.Origin.IsZero() {
		guard = "until " + s.at(v.GuardedUntil) + " a repeat cannot run a second time"
	}
	lines = append(lines, [2]string{"guarded", guard})
	if v.Status == queue.Accepted {
		lines = append(lines, [2]string{"stored", plain(v.Durability)})
	}
	for _, l := range lines {
		if err := s.say("  %-8s %s", l[0], l[1]); err != nil {
			return err
		}
	}
	return nil
}

// conflict says which job has the id, and what is in it, as well as the engine can tell.
func (s *session) conflict(ctx context.Context, engine queue.Engine, job queue.Job, r queue.Receipt) error {
	detail := fmt.Sprintf("job %s, which is %s, has it", r.Holder, r.HolderState)
	if look, ok := queue.As[queue.Inspector](engine); ok {
		if holder, err := look.Job(ctx, r.Holder); err == nil && holder.Whole {
			detail += fmt.Sprintf(": %s there, %s here", clip(content(holder.Job.Payload), 200), clip(content(job.Payload), 200))
		}
	}
	return &queue.Error{Op: enqueueOp, Subject: job.Kind + "/" + named(job.Key), Reason: queue.ErrConflict, Detail: detail,
		Remedy: "nothing was changed. Use another key for another job, or the same content for the same one"}
}
