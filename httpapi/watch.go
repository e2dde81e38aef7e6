package httpapi

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twicehq/twice/queue"
)

// watch looks what becomes of jobs that were redriven.
type watch struct {
	look      queue.Inspector
	stopAfter int
	jobs      []chosen // those of which nothing is known yet
}

const (
	watched     = 1000 // jobs at a time; more are not watched
	lookedAt    = 100  // of them in a second
	lookTimeout = 10 * time.Second
)

func (w *watch) add(part []chosen) {
	if w != nil {
		w.jobs = append(w.jobs, part[:min(len(part), max(0, watched-len(w.jobs)))]...)
	}
}

// judge looks at some of the jobs, those longest not looked at. It fails with stopped where so many failed again the
// same way that going on would only bury more.
func (w *watch) judge(o *operation) error {
	if w == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(o.ctx, lookTimeout)
	defer cancel()
	some := w.jobs[:min(lookedAt, len(w.jobs))]
	rest := append([]chosen{}, w.jobs[len(some):]...)
	var judged, same int
	for _, j := range some {
		r, err := w.look.Job(ctx, j.id)
		switch {
		case errors.Is(err, queue.ErrNotFound): // it is done, and forgotten
			judged++
		case err != nil:
			return err
		case j.again(r):
			judged++
			same++
		case r.State.Ended():
			judged++
		default:
			rest = append(rest, j)
		}
	}
	w.jobs = rest
	var v Operation
	o.tell(func(of *Operation) {
		of.Judged += judged
		of.Same += same
		v = *of
	})
	if v.Same >= w.stopAfter && 2*v.Same >= v.Judged {
		return stopped{because: fmt.Sprintf("%d of the %d redriven jobs of which anything is known failed again the same way", v.Same, v.Judged)}
	}
	return nil
}

// again reports whether the job was run since it was redriven, and failed as it had before. It need not be dead
// again: it may take hours until its retries are used up.
func (j chosen) again(r queue.Record) bool {
	if r.Token <= j.token || r.State == queue.Done || r.State == queue.Cancelled || hash(queue.Signature(r.Error)) != j.sign {
		return false
	}
	return r.State == queue.Dead || r.Counts.Failures+r.Counts.Crashes > 0
}
