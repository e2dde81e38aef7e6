package campaign

import (
	"context"
	"errors"
	"time"

	"github.com/twicehq/twice/queue"
)

// patron is who redrives jobs that gave up.
var patron = queue.Actor{Name: "campaign", Why: "the cause is gone"}

// redriver sends every job back that gave up, as a person does who redrives by a filter again and again.
type redriver struct {
	cancel context.CancelFunc
	over   chan struct{}
	n      int
	err    error
}

func (f *Field) redriver(ctx context.Context) *redriver {
	ctx, cancel := context.WithCancel(ctx)
	r := &redriver{cancel: cancel, over: make(chan struct{})}
	go func() {
		defer close(r.over)
		for ctx.Err() == nil {
			n, err := f.redrive(ctx)
			if r.n += n; err != nil && !passing(err) && ctx.Err() == nil {
				r.err = err
				return
			}
			select {
			case <-ctx.Done():
			case <-time.After(50 * time.Millisecond):
			}
		}
	}()
	return r
}

// end gives how many jobs were sent back.
func (r *redriver) end() (int, error) {
	r.cancel()
	<-r.over
	return r.n, r.err
}

// redrive sends back a page of what gave up.
func (f *Field) redrive(ctx context.Context) (n int, err error) {
	ids, err := f.gaveUp(ctx, queue.MaxPage)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	operator, err := queue.Need[queue.Operator](f.Store.Engine, "campaign")
	if err != nil {
		return 0, err
	}
	errs, err := operator.Redrive(ctx, patron, ids...)
	if err != nil {
		return 0, err
	}
	for _, refused := range errs {
		switch {
		case refused == nil:
			n++
		case !errors.Is(refused, queue.ErrState): // a call whose reply was lost did it
			err = errors.Join(err, refused)
		}
	}
	return n, err
}

// gaveUp gives jobs that wait to be redriven, at most limit.
func (f *Field) gaveUp(ctx context.Context, limit int) ([]queue.ID, error) {
	look, err := queue.Need[queue.Inspector](f.Store.Engine, "campaign")
	if err != nil {
		return nil, err
	}
	page, err := look.List(ctx, queue.Query{Queue: Queue, State: queue.Dead, Reason: queue.ReasonBuried, Limit: limit})
	var ids []queue.ID
	for _, rec := range page.Records {
		ids = append(ids, rec.Job.ID)
	}
	return ids, err
}
