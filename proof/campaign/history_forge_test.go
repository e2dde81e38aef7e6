package campaign_test

import (
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/proof/history"
	"github.com/twicehq/twice/queue"
)

// forgery changes the i-th step of one job's history, and reports whether that can be told from what is true, whatever
// the kills left open. Only jobs of which all is known are forged.
type forgery struct {
	name string
	make func(ops []history.Op, i int) bool
}

var forgeries = []forgery{
	{"a settlement succeeded under a replaced lease", replaced(history.Settle)},
	{"an extension succeeded under a replaced lease", replaced(history.Extend)},
	{"a held lease was refused", func(ops []history.Op, i int) bool {
		o := &ops[i]
		return o.Call == history.Settle && o.Answer == history.OK && o.State == queue.Done && set(&o.Answer, history.LeaseLost)
	}},
	{"a settlement that was applied is missing", func(ops []history.Op, i int) bool {
		o := &ops[i]
		return o.Call == history.Settle && o.Answer == history.OK && o.State == queue.Done && set(&o.Answer, history.Failed)
	}},
	{"a token did not rise", func(ops []history.Op, i int) bool {
		before := lastLease(ops, i)
		return before != nil && set(&ops[i].Token, before.Token) && set(&ops[i].Claim, "")
	}},
	{"two leases at once", func(ops []history.Op, i int) bool {
		before := lastLease(ops, i)
		return before != nil && ops[i].Counts.Crashes > before.Counts.Crashes && set(&ops[i].ClaimedAt, before.ClaimedAt+int64(time.Millisecond))
	}},
	{"a lease of another claim", func(ops []history.Op, i int) bool {
		return leased(ops[i]) && set(&ops[i].Lease, strings.Repeat("0", len(ops[i].Lease)))
	}},
	{"a count jumped", func(ops []history.Op, i int) bool {
		return leased(ops[i]) && set(&ops[i].Counts.Failures, ops[i].Counts.Failures+2)
	}},
	{"a crash was not counted", func(ops []history.Op, i int) bool {
		before := lastLease(ops, i)
		return before != nil && ops[i].Counts.Crashes > before.Counts.Crashes && set(&ops[i].Counts.Crashes, before.Counts.Crashes)
	}},
	{"a terminal state changed", func(ops []history.Op, i int) bool {
		return ops[i].Call == history.Look && ops[i].State.Ended() && set(&ops[i].State, queue.Queued)
	}},
	{"a job was lost", func(ops []history.Op, i int) bool {
		return ops[i].Call == history.Look && set(&ops[i].Answer, history.NotFound)
	}},
	{"a job was accepted twice", func(ops []history.Op, i int) bool {
		return ops[i].Status == queue.Duplicate && set(&ops[i].Status, queue.Accepted)
	}},
	{"another content was called a duplicate", func(ops []history.Op, i int) bool {
		return ops[i].Status == queue.Duplicate && set(&ops[i].Print, ops[i].Print+1)
	}},
	{"a job that nobody enqueued", func(ops []history.Op, i int) bool {
		return ops[i].Status == queue.Accepted && set(&ops[i].Status, 0) && set(&ops[i].Answer, history.Refused)
	}},
}

func set[T any](to *T, v T) bool { *to = v; return true }

func leased(o history.Op) bool { return o.Call == history.Claim && o.Answer == history.OK }

// lastLease gives the claim that was answered last before the claim at i was made.
func lastLease(ops []history.Op, i int) (last *history.Op) {
	for n := range ops[:i] {
		if leased(ops[i]) && leased(ops[n]) && ops[n].End < ops[i].Start && ops[n].Token < ops[i].Token {
			last = &ops[n]
		}
	}
	return last
}

// replaced has a call succeed that was made after another claim of the job was answered.
func replaced(call history.Call) func([]history.Op, int) bool {
	return func(ops []history.Op, i int) bool {
		for _, o := range ops[:i] {
			if leased(o) && o.End < ops[i].Start && o.Token > ops[i].Token && ops[i].Call == call && ops[i].Answer == history.LeaseLost {
				return set(&ops[i].Answer, history.OK)
			}
		}
		return false
	}
}

// most is how many steps are forged in each way.
const most = 40

// refuseForgeries forges one step at a time of what the processes of a campaign recorded: the check must refuse it, and
// so must porcupine.
func refuseForgeries(t *testing.T, ops []history.Op) {
	t.Helper()
	jobs := map[queue.ID][]history.Op{}
	open := map[queue.ID]bool{}
	var others []history.Op // of no job: claims that were not answered may have leased any
	for _, o := range ops {
		if o.Job.IsZero() {
			others = append(others, o)
			continue
		}
		jobs[o.Job] = append(jobs[o.Job], o)
		open[o.Job] = open[o.Job] || o.Answer == history.Unknown
	}
	sorts := 0
	for _, f := range forgeries {
		n := 0
		for id, all := range jobs {
			for i := range all {
				forged := append([]history.Op(nil), all...)
				if open[id] || n == most || !f.make(forged, i) {
					continue
				}
				n++
				forged = append(forged, others...)
				report := history.Check(forged, history.Config{})
				if len(report.Breaches) != 1 || report.Breaches[0].Job != id {
					t.Errorf("%s: step %d of job %s: %v", f.name, all[i].N, id, report.Breaches)
				}
				if v := history.Linearizable(forged, history.Config{}, time.Second); len(v.Not) != 1 {
					t.Errorf("%s: step %d of job %s: porcupine finds nothing", f.name, all[i].N, id)
				}
			}
		}
		if n > 0 {
			sorts++
		}
	}
	if sorts < 8 {
		t.Errorf("only %d sorts of forgeries could be tried", sorts)
	}
}
