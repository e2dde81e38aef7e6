package diagnose

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/twicehq/twice/queue"
)

// failures is what failed lately, over all live workers.
type failures struct {
	total int
	first queue.Failing // the most frequent signature
	kind  string        // of it
	jobs  map[queue.ID]int
}

func (v *view) failures() failures {
	f := failures{jobs: map[queue.ID]int{}}
	type way struct{ kind, signature string }
	ways := map[way]*queue.Failing{}
	distinct := map[way]map[queue.ID]bool{}
	for _, m := range v.now().members {
		if m.Silent {
			continue
		}
		for _, r := range m.Recent {
			if r.Queue != v.queue {
				continue
			}
			f.total += max(0, r.Others)
			for _, one := range r.Failures[:min(len(r.Failures), queue.MaxFailing)] {
				key := way{r.Kind, one.Signature}
				if ways[key] == nil {
					ways[key], distinct[key] = &queue.Failing{Signature: one.Signature, Text: one.Text}, map[queue.ID]bool{}
				}
				n := max(0, min(one.Count, 1<<40))
				f.total += n
				w := ways[key]
				w.Count += n
				unnamed := max(0, min(one.Jobs, queue.MaxDistinct))
				for _, top := range one.Top[:min(len(one.Top), queue.MaxRepeats)] {
					f.jobs[top.Job] += max(0, min(top.N, n))
					distinct[key][top.Job] = true
					unnamed--
				}
				w.Jobs += max(0, unnamed)
			}
		}
	}
	for key, w := range ways {
		w.Jobs += len(distinct[key])
		if c := cmp.Compare(w.Count, f.first.Count); c > 0 || c == 0 && w.Signature < f.first.Signature {
			f.first, f.kind = *w, key.kind
		}
	}
	return f
}

// worst gives the fewest jobs that make most of the failures, those that failed most often first.
func (f failures) worst() (ids []queue.ID, sum int) {
	all := make([]queue.ID, 0, len(f.jobs))
	for id := range f.jobs {
		all = append(all, id)
	}
	slices.SortFunc(all, func(a, b queue.ID) int {
		return cmp.Or(cmp.Compare(f.jobs[b], f.jobs[a]), bytes.Compare(a[:], b[:]))
	})
	for _, id := range all {
		if 2*sum > f.total {
			break
		}
		ids, sum = append(ids, id), sum+f.jobs[id]
	}
	return ids, sum
}

// poison: most failures come from a few jobs that fail again and again, while others of the queue are done.
func poison(v *view) *match {
	f, all := v.failures(), v.all()
	ids, sum := f.worst()
	if f.total < repeated+1 || 2*sum <= f.total || len(ids) > poisoned || all.done < int64(max(many, len(ids)+1)) {
		return nil
	}
	for _, id := range ids {
		if f.jobs[id] < repeated {
			return nil
		}
	}
	return &match{
		says: fmt.Sprintf("%s of the last %s: %q. Meanwhile %s done.", verb(int64(len(ids)), "job", "makes "+fmt.Sprint(sum), "make "+fmt.Sprint(sum)),
			count(int64(f.total), "failure"), f.first.Text, verb(all.done, "attempt", "was", "were")),
		change:   "These jobs are done, give up or are cancelled.",
		do:       "Look at one of them (twice job ID). Mend its handler or its data; or cancel it. They hold nobody up: each is retried ever more rarely, and gives up at its cap.",
		evidence: []Evidence{jobs("failing_most", int64(len(ids)), ids), number("failures", float64(f.total), ""), number("of_these_jobs", float64(sum), ""), number("done", float64(all.done), ""), {Name: "error", Value: float64(f.first.Count), Text: f.first.Text}},
	}
}

// dependencyDown: most attempts fail, of many jobs, and in one way.
func dependencyDown(v *view) *match {
	f, all := v.failures(), v.all()
	tries := all.done + all.failed
	if f.first.Jobs < many || float64(f.first.Count) < oneError*float64(f.total) || tries == 0 || float64(all.failed) < down*float64(tries) {
		return nil
	}
	var ids []queue.ID
	for id := range f.jobs {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b queue.ID) int { return bytes.Compare(a[:], b[:]) })
	more := ""
	if f.first.Jobs >= queue.MaxDistinct {
		more = "at least "
	}
	return &match{
		says: fmt.Sprintf("Most jobs fail in one way: %d of %s in the last minute failed, %s%s with %q.", all.failed, count(tries, "attempt"),
			more, count(int64(f.first.Jobs), "job"), f.first.Text),
		change:   "Attempts are done again.",
		do:       "Look at what this error comes from: most likely something that " + f.kind + " depends on. More slots do not help. Jobs are retried by themselves; dead ones can be redriven afterwards.",
		evidence: []Evidence{number("failed", float64(all.failed), ""), number("done", float64(all.done), ""), jobs("failing", int64(f.first.Jobs), ids), {Name: "error", Value: float64(f.first.Count), Text: f.first.Text}, {Name: "signature", Value: float64(f.total), Text: f.first.Signature}},
	}
}
