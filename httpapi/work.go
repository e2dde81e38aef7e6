package httpapi

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twicehq/twice/queue"
)

// partTimeout bounds one call of an operation. A call under way is not cut off when the operation is stopped: its
// outcome would be unknown.
const partTimeout = time.Minute

// work is an operation from its begin to its end.
func (s *Server) work(o *operation, ch Change, k kindOfChange, by queue.Actor) {
	defer func() {
		if v := recover(); v != nil {
			s.cfg.Logger.Error("operation panicked", "operation", o.state.ID, "panic", fmt.Sprintf("%T", v))
			o.end(OperationFailed, "", &queue.Error{Op: k.verb, Reason: ErrInternal})
		}
		v := o.view()
		s.cfg.Logger.Info("operation ended", "operation", v.ID, "op", v.What, "who", v.By, "state", string(v.State), "matched", v.Matched, "changed", v.Changed, "refused", v.Refused)
	}()
	err := s.goThrough(o, ch, k, by)
	var stop stopped
	switch {
	case err == nil:
		o.end(OperationDone, "", nil)
	case errors.As(context.Cause(o.ctx), &stop):
		o.tell(func(v *Operation) { v.StoppedBy = stop.who })
		o.end(OperationStopped, stop.because, nil)
	case errors.As(err, &stop):
		o.end(OperationStopped, stop.because, nil)
	default:
		o.end(OperationFailed, "", err)
	}
}

// goThrough chooses the jobs, and changes them second by second.
func (s *Server) goThrough(o *operation, ch Change, k kindOfChange, by queue.Actor) error {
	found, err := s.choose(o.ctx, k.verb, ch, k.state, k.doubts)
	if err != nil {
		return err
	}
	o.tell(func(v *Operation) { v.Matched, v.InDoubt, v.More = len(found.jobs), found.inDoubt, found.more })
	by = withCount(by, k.verb, len(found.jobs), o.state.ID)
	var again *watch
	if look, ok := queue.As[queue.Inspector](s.engine); ok && k.watch {
		again = &watch{look: look, stopAfter: ch.StopAfterSame}
	}
	n := ch.PerSecond
	if k.watch {
		n = min(firstSecond, n) // until it is seen how they do
	}
	for jobs := found.jobs; len(jobs) > 0; n = min(2*n, ch.PerSecond) {
		began := time.Now()
		part := jobs[:min(n, len(jobs))]
		jobs = jobs[len(part):]
		changed, err := s.part(o, k, by, part)
		if err != nil || len(jobs) == 0 {
			return err
		}
		again.add(changed)
		if err := pause(o.ctx, time.Until(began.Add(time.Second))); err != nil {
			return err
		}
		if err := again.judge(o); err != nil {
			return err
		}
	}
	return nil
}

// part changes the jobs of one second, and gives those that were changed.
func (s *Server) part(o *operation, k kindOfChange, by queue.Actor, part []chosen) ([]chosen, error) {
	ids := make([]queue.ID, len(part))
	for i, j := range part {
		ids[i] = j.id
	}
	var changed []chosen
	err := apply(context.Background(), o, by, ids, s.engine.Traits().MaxBatch, func(ctx context.Context, by queue.Actor, ids []queue.ID) ([]error, error) {
		if err := context.Cause(o.ctx); err != nil {
			return nil, err
		}
		ctx, cancel := context.WithTimeout(ctx, partTimeout)
		defer cancel()
		errs, err := k.do(ctx, by, ids)
		for i, err := range errs {
			if err == nil {
				changed = append(changed, part[i])
			}
		}
		part = part[min(len(errs), len(part)):]
		return errs, err
	})
	return changed, err
}

// pause waits for d; it fails with the cause where ctx ends before.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
