package httpapi

import (
	"context"
	"errors"
	"sync"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// kindOfChange is what redrive, discard and cancel differ in.
type kindOfChange struct {
	verb   string
	state  queue.State // of the jobs that a filter chooses
	doubts bool        // a filter may choose jobs in doubt
	watch  bool        // whoever was changed may fail again the same way
	do     func(ctx context.Context, by queue.Actor, ids []queue.ID) ([]error, error)
}

func (s *Server) redriveDead(ctx context.Context, c *call, ch Change) (Operation, error) {
	operator, err := queue.Need[queue.Operator](s.engine, c.name)
	if err != nil {
		return Operation{}, err
	}
	if ch.Filter != nil && ch.Filter.Reason == queue.ReasonDoubt {
		return Operation{}, invalid(c.name, "field filter.reason", "a job in doubt is never redriven by a filter: its effect might be made twice", "answer each doubt: that redrives the job")
	}
	return s.change(ctx, c, ch, kindOfChange{verb: "redrive", state: queue.Dead, watch: true, do: func(ctx context.Context, by queue.Actor, ids []queue.ID) ([]error, error) {
		return operator.Redrive(ctx, by, ids...)
	}})
}

func (s *Server) discardDead(ctx context.Context, c *call, ch Change) (Operation, error) {
	operator, err := queue.Need[queue.Operator](s.engine, c.name)
	if err != nil {
		return Operation{}, err
	}
	doubts := ch.Filter != nil && ch.Filter.Reason == queue.ReasonDoubt
	return s.change(ctx, c, ch, kindOfChange{verb: "discard", state: queue.Dead, doubts: doubts, do: func(ctx context.Context, by queue.Actor, ids []queue.ID) ([]error, error) {
		return operator.Discard(ctx, by, ids...)
	}})
}

// cancelJobs cancels by id jobs that are queued or running; by a filter, those of one queue that are queued.
func (s *Server) cancelJobs(ctx context.Context, c *call, ch Change) (Operation, error) {
	if _, err := queue.Need[queue.Operator](s.engine, c.name); err != nil {
		return Operation{}, err
	}
	if f := ch.Filter; f != nil && (f.Queue == "" || f.Reason != "" || f.Signature != nil) {
		return Operation{}, invalid(c.name, "field filter", "it is not by queue, or by more than queue and kind", "name the queue whose waiting jobs are to be cancelled, and a kind if need be")
	}
	if _, looks := queue.As[queue.Inspector](s.engine); looks && ch.Filter != nil {
		if _, err := s.depth(ctx, c.name, ch.Filter.Queue); err != nil {
			return Operation{}, err
		}
	}
	return s.change(ctx, c, ch, kindOfChange{verb: "cancel", state: queue.Queued, doubts: true, do: func(ctx context.Context, by queue.Actor, ids []queue.ID) ([]error, error) {
		return sideBySide(ids, func(part []queue.ID) ([]error, error) { return ledger.Cancel(ctx, s.engine, s.store, by, part...) })
	}})
}

// sideBySide calls do for parts of ids at once, since each job is sealed by a write of its own and engines commit
// together what comes together. The answers are in the order of ids.
func sideBySide(ids []queue.ID, do func([]queue.ID) ([]error, error)) ([]error, error) {
	const part = 16
	answers, failures := make([]error, len(ids)), make([]error, (len(ids)+part-1)/part)
	var all sync.WaitGroup
	for i := range failures {
		all.Go(func() {
			errs, err := do(ids[i*part : min((i+1)*part, len(ids))])
			copy(answers[i*part:], errs)
			failures[i] = err
		})
	}
	all.Wait()
	return answers, errors.Join(failures...)
}

// change counts, or changes at once, or begins an operation.
func (s *Server) change(ctx context.Context, c *call, ch Change, k kindOfChange) (Operation, error) {
	rate := defaultRate
	if k.watch {
		rate = redriveRate
	}
	ch, err := ch.checked(c.name, rate)
	if err != nil {
		return Operation{}, err
	}
	if ch.DryRun {
		found, err := s.choose(ctx, c.name, ch, k.state, k.doubts)
		return Operation{What: k.verb, State: OperationDone, DryRun: true, Matched: len(found.jobs), InDoubt: found.inDoubt, More: found.more, Refusals: []Refusal{}}, err
	}
	by, err := c.actor(ch.Why)
	if err != nil {
		return Operation{}, err
	}
	if ch.background() {
		return s.operations.begin(ch, k.verb, by, s.cfg.Now, func(o *operation) { s.work(o, ch, k, by) })
	}
	o := newOperation("", k.verb, by, s.cfg.Now)
	o.tell(func(v *Operation) { v.Matched = len(ch.IDs) })
	if err := apply(ctx, o, withCount(by, k.verb, len(ch.IDs), ""), ch.IDs, s.engine.Traits().MaxBatch, k.do); err != nil {
		return Operation{}, err
	}
	o.end(OperationDone, "", nil)
	return o.view(), nil
}

// apply makes the change, part by part, and tells what became of each job.
func apply(ctx context.Context, o *operation, by queue.Actor, ids []queue.ID, most int, do func(context.Context, queue.Actor, []queue.ID) ([]error, error)) error {
	for part := range chunks(ids, min(chunk, most)) {
		errs, err := do(ctx, by, part)
		if err == nil {
			err = trouble(errs)
		}
		if err != nil {
			return err
		}
		o.tell(func(v *Operation) {
			for i, err := range errs {
				if err == nil {
					v.Changed++
					continue
				}
				if v.Refused++; len(v.Refusals) < maxRefusals {
					v.Refusals = append(v.Refusals, Refusal{part[i], faultOf(err)})
				}
			}
		})
	}
	return nil
}

// trouble gives the error of an engine that answered every job with one of its own troubles: no job is to blame.
func trouble(errs []error) error {
	for _, err := range errs {
		if !errors.Is(err, queue.ErrUnavailable) && !errors.Is(err, queue.ErrClosed) && !errors.Is(err, queue.ErrUnknownOutcome) && !isContext(err) {
			return nil
		}
	}
	return errors.Join(errs[:min(1, len(errs))]...)
}
