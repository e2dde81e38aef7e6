package history

import (
	"fmt"
	"math"

	"github.com/twicehq/twice/queue"
)

// world is what a whole history says that matters to each of its jobs.
type world struct {
	slack   int64   // how far the engine's clock and the recorder's may differ, ns
	limit   int     // the crash cap that claims gave; 0: none
	pruned  int64   // from when on jobs may have been forgotten; 0: never
	unheard []int64 // when claims were made whose answer was lost, in order
	shortly int64   // the shortest ttl of these
}

// maxHidden bounds how many such things are thought of between two steps of one job.
const maxHidden = 12

// breach says which rule a step breaks.
func breach(rule Rule, format string, args ...any) *Breach {
	return &Breach{Rule: rule, Says: fmt.Sprintf(format, args...)}
}

// hidden gives what may have become of a job, without a word to anybody, until then: j itself first. A claim whose
// answer was lost may have leased it, also where it was asked again: by then the lease may have been replaced.
func (w *world) hidden(j Job, end int64) []Job {
	all := []Job{j}
	if end < math.MaxInt64-w.slack {
		end += w.slack
	}
	for i := 0; i < len(all) && i < maxHidden; i++ {
		j := all[i]
		over := j.State == queue.Running && j.Until <= end
		if over && j.Marks(w.limit) {
			all = append(all, j.Marked())
		}
		if j.Unseen < len(w.unheard) && w.unheard[j.Unseen] <= end && j.Known && (over || j.State == queue.Queued && j.Due <= end) {
			all = append(all, w.unseen(j))
		}
		if w.pruned != 0 && w.pruned <= end && j.Prunable() {
			all = append(all, j.Forgotten())
		}
	}
	return all
}

// unseen is the row after the next claim of it that nobody heard of. That came when the row was due, and no request
// takes a row twice: so not before as many of them had been made.
func (w *world) unseen(j Job) Job {
	since := max(j.Due, j.Until, w.unheard[j.Unseen]) - w.slack
	j = j.Claimed(Somebody, j.Token+1, since+w.shortly)
	j.Unseen++
	return j
}

// step gives the rows that a job may have after op, which was carried out by then, or the rule that op breaks whatever
// happened unseen before it.
func (w *world) step(j Job, op Op, by int64) ([]Job, *Breach) {
	var after []Job
	var first *Breach
	for _, j := range w.hidden(j, by) {
		next, wrong := w.apply(j, op)
		if wrong != nil {
			if first == nil {
				first = wrong
			}
			continue
		}
		after = append(after, next...)
	}
	if len(after) > 0 {
		return after, nil
	}
	return nil, first
}

// apply is one step with nothing hidden.
func (w *world) apply(j Job, op Op) ([]Job, *Breach) {
	if op.Answer == Unknown {
		told := op
		told.Answer = OK
		if op.Call == Enqueue {
			told.Status = queue.Accepted
		}
		if next, wrong := w.apply(j, told); wrong == nil {
			return append(next, j), nil
		}
		return []Job{j}, nil
	}
	switch op.Call {
	case Enqueue, Follow:
		return w.enqueue(j, op)
	case Claim:
		return w.claim(j, op)
	case Extend, Settle, Hold:
		return w.underLease(j, op)
	case Cancel, Redrive, Resolve, Discard:
		return w.operate(j, op)
	case Look:
		return w.look(j, op)
	}
	return []Job{j}, nil
}

func (w *world) enqueue(j Job, op Op) ([]Job, *Breach) {
	same := j.Print == op.Print
	switch {
	case op.Answer != OK || op.Status == queue.Refused:
		return []Job{j}, nil
	case op.Call == Follow && j.Known && same:
		return []Job{j}, nil
	case op.Call == Follow && j.Known:
		return nil, breach(Identity, "a job to follow was stored over one with another fingerprint")
	case op.Call == Follow || op.Status == queue.Accepted:
		if j.Known {
			return nil, breach(Once, "it was accepted again while it was %s", j.State)
		}
		return []Job{j.Enqueued(op.Print, op.RunAt)}, nil
	case !j.Known:
		return nil, breach(Lost, "it was called a %s of a job that is not known", op.Status)
	case same != (op.Status == queue.Duplicate):
		return nil, breach(Identity, "it was called a %s; the fingerprints are the same: %v", op.Status, same)
	case op.Holder != 0 && op.Holder != j.State:
		return nil, seen(j, op.Holder)
	}
	return []Job{j}, nil
}
