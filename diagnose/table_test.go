package diagnose_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/diagnose"
	"github.com/twicehq/twice/queue"
)

// story is ten samples of one queue, to be told otherwise by a case.
type story struct {
	samples []diagnose.Sample
	workers int
}

var began = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// calm: two workers with 4 slots each, 3 of 8 busy, 2 jobs a second that take 1.5 s; nothing is late.
func calm() *story {
	s := &story{workers: 2}
	for i := range 10 {
		at := began.Add(time.Duration(i) * 6 * time.Second)
		done := int64(1000 + 12*i)
		sample := diagnose.Sample{At: at, Queues: []queue.Depth{{Queue: "q", Accepted: done + 3, Running: 3, Done: done, AsOf: at}}}
		for n := range s.workers {
			sample.Workers = append(sample.Workers, queue.Worker{
				Name: fmt.Sprintf("w%d", n), Queues: []string{"q"}, Kinds: []string{"k"}, Slots: 4, Busy: 2 - n, LastPoll: at, Started: began.Add(-time.Hour), SeenAt: at, SaidAt: at,
				Running: []queue.Progress{{Job: queue.NewID("k", fmt.Sprint(i, n)), Queue: "q", Kind: "k", Since: at.Add(-time.Second)}},
				Recent: []queue.Recent{{Queue: "q", Kind: "k", Begun: done/2 + 2, Done: done / 2, Run: time.Duration(done/2) * 1500 * time.Millisecond, LastDone: at.Add(-time.Second),
					P50: time.Second, P99: 4 * time.Second, Measured: 256}},
			})
		}
		s.samples = append(s.samples, sample)
	}
	return s
}

// each changes every sample; age is how long before the last one it was taken.
func (s *story) each(f func(i int, age time.Duration, d *queue.Depth, sample *diagnose.Sample)) *story {
	last := s.samples[len(s.samples)-1].At
	for i := range s.samples {
		f(i, last.Sub(s.samples[i].At), &s.samples[i].Queues[0], &s.samples[i])
	}
	return s
}

func (s *story) last() *diagnose.Sample { return &s.samples[len(s.samples)-1] }

func (s *story) worker(f func(i int, age time.Duration, w *queue.Worker)) *story {
	return s.each(func(i int, age time.Duration, _ *queue.Depth, sample *diagnose.Sample) {
		for n := range sample.Workers {
			f(i, age, &sample.Workers[n])
		}
	})
}

// late: a backlog that grows by step a sample, the oldest due for wait at the end; nothing ends any more unless done.
func (s *story) late(wait time.Duration, step int, done bool) *story {
	s.each(func(i int, age time.Duration, d *queue.Depth, _ *diagnose.Sample) {
		d.Ready.N = 100 + step*i
		d.Queued = int64(d.Ready.N)
		if !done {
			d.Done = 1000
		}
		d.Accepted = d.Done + d.Queued + d.Running
		d.OldestDue = d.AsOf.Add(-max(time.Second, wait-age))
	})
	s.last().Due = []diagnose.Due{{Queue: "q", Kind: "k", N: 100, Oldest: s.last().Queues[0].OldestDue, Jobs: []queue.ID{queue.NewID("k", "due")}}}
	return s
}

// full: all slots busy.
func (s *story) full() *story {
	s.each(func(_ int, _ time.Duration, d *queue.Depth, _ *diagnose.Sample) {
		d.Running, d.Accepted = 8, d.Accepted+8-d.Running
	})
	return s.worker(func(_ int, _ time.Duration, w *queue.Worker) { w.Busy = w.Slots })
}

// still: nothing begins and nothing is done since before the window.
func (s *story) still() *story {
	return s.worker(func(i int, age time.Duration, w *queue.Worker) {
		r := &w.Recent[0]
		r.Begun, r.Done, r.Run, r.LastDone = 500, 498, 700*time.Second, began.Add(-30*time.Second)
		for n := range w.Running {
			w.Running[n].Since = began.Add(-20 * time.Second)
		}
	})
}

func (s *story) failing(f queue.Failing) *story {
	s.worker(func(i int, _ time.Duration, w *queue.Worker) { w.Recent[0].Failures = []queue.Failing{f} })
	return s
}

func some(n int, each int) (top []queue.Repeat) {
	for i := range n {
		top = append(top, queue.Repeat{Job: queue.NewID("k", fmt.Sprint("bad ", i)), N: each})
	}
	return top
}

func gone(n int, apart, lived time.Duration) (all []diagnose.Gone) {
	for i := range n {
		at := began.Add(54*time.Second - time.Duration(n-i)*apart)
		all = append(all, diagnose.Gone{Name: fmt.Sprint("old", i), Queues: []string{"q"}, Kinds: []string{"k"}, Started: at.Add(-lived), Lived: lived, At: at, Replaced: true})
	}
	return all
}

var cases = []struct {
	name string
	want diagnose.Verdict
	well bool
	make func() *story
}{
	{"nothing late", diagnose.Healthy, true, calm},
	{"the last sample failed", diagnose.BrokerDown, false, func() *story {
		s := calm()
		*s.last() = diagnose.Sample{At: s.last().At, Down: "connection refused"}
		return s
	}},
	{"an earlier sample failed", diagnose.Healthy, true, func() *story {
		s := calm()
		s.samples[4] = diagnose.Sample{At: s.samples[4].At, Down: "connection refused"}
		return s
	}},
	{"unread", diagnose.NoData, false, func() *story { s := calm(); s.last().Unread = "corrupt"; return s }},
	{"counts do not move", diagnose.NoData, false, func() *story {
		return calm().each(func(_ int, _ time.Duration, d *queue.Depth, _ *diagnose.Sample) { d.AsOf = began })
	}},
	{"paused, nothing due", diagnose.Paused, true, func() *story {
		return calm().each(func(_ int, _ time.Duration, d *queue.Depth, _ *diagnose.Sample) { d.Paused = true })
	}},
	{"paused, jobs due", diagnose.Paused, false, func() *story {
		return calm().late(time.Minute, 1, false).each(func(_ int, _ time.Duration, d *queue.Depth, _ *diagnose.Sample) { d.Paused = true })
	}},
	{"nobody", diagnose.NoConsumer, false, func() *story {
		return calm().late(time.Minute, 1, false).each(func(_ int, _ time.Duration, _ *queue.Depth, s *diagnose.Sample) { s.Workers = nil })
	}},
	{"nobody, at a single sample", diagnose.NoConsumer, false, func() *story {
		s := calm().late(time.Minute, 1, false).each(func(_ int, _ time.Duration, _ *queue.Depth, s *diagnose.Sample) { s.Workers = nil })
		s.samples = s.samples[9:]
		return s
	}},
	{"nobody, and a job has just arrived", diagnose.Healthy, true, func() *story {
		return calm().late(3*time.Second, 0, false).each(func(i int, _ time.Duration, d *queue.Depth, s *diagnose.Sample) { s.Workers, d.Running = nil, 0 })
	}},
	{"nobody handles this kind", diagnose.NoConsumer, false, func() *story {
		s := calm().late(time.Minute, 1, true)
		s.last().Due[0].Kind = "other"
		return s
	}},
	{"a kind that nobody handles has just come", diagnose.Healthy, true, func() *story {
		s := calm().late(20*time.Second, 1, true)
		s.last().Due[0].Kind = "other"
		return s
	}},
	{"all silent", diagnose.ConsumerDead, false, func() *story {
		return calm().late(time.Minute, 1, false).worker(func(i int, _ time.Duration, w *queue.Worker) { w.Silent = i > 5 })
	}},
	{"one of two silent", diagnose.Healthy, true, func() *story {
		return calm().worker(func(i int, _ time.Duration, w *queue.Worker) { w.Silent = i > 5 && w.Name == "w1" })
	}},
	{"gone before the window", diagnose.ConsumerDead, false, func() *story {
		s := calm().late(time.Minute, 1, false).each(func(_ int, _ time.Duration, _ *queue.Depth, s *diagnose.Sample) { s.Workers = nil })
		s.last().Gone = gone(1, 3*time.Minute, time.Hour)
		s.last().Gone[0].Replaced = false
		return s
	}},
	{"nobody, and leases ran out", diagnose.ConsumerDead, false, func() *story {
		return calm().late(time.Minute, 1, false).each(func(_ int, _ time.Duration, d *queue.Depth, s *diagnose.Sample) { s.Workers, d.Expired.N = nil, 3 })
	}},
	{"all slots stand still", diagnose.StuckHandler, false, func() *story { return calm().late(time.Minute, 12, false).full().still() }},
	{"all slots stand still, and nothing waits", diagnose.StuckHandler, false, func() *story { return calm().full().still() }},
	{"all slots stand still, but report progress", diagnose.Undetermined, false, func() *story {
		return calm().late(time.Minute, 12, false).full().still().worker(func(_ int, _ time.Duration, w *queue.Worker) {
			for n := range w.Running {
				w.Running[n].Moved = w.SaidAt.Add(-time.Second)
			}
		})
	}},
	{"all slots stand still, but it is not known what is usual", diagnose.Undetermined, false, func() *story {
		return calm().late(time.Minute, 12, false).full().still().worker(func(_ int, _ time.Duration, w *queue.Worker) { w.Recent[0].Measured = 1 })
	}},
	{"the same, but a watch remembers it", diagnose.StuckHandler, false, func() *story {
		s := calm().late(time.Minute, 12, false).full().still().worker(func(_ int, _ time.Duration, w *queue.Worker) { w.Recent[0].Measured = 0 })
		s.last().Usual = []diagnose.Usual{{Queue: "q", Kind: "k", P99: 4 * time.Second}}
		return s
	}},
	{"these jobs always take an hour", diagnose.UnderProvisioned, false, func() *story {
		return calm().late(time.Minute, 12, false).full().still().worker(func(_ int, _ time.Duration, w *queue.Worker) {
			w.Recent[0].P99, w.Recent[0].Run = time.Hour, 498*40*time.Minute
		})
	}},
	{"one slow job", diagnose.Healthy, true, func() *story {
		return calm().worker(func(_ int, _ time.Duration, w *queue.Worker) {
			if w.Name == "w0" {
				w.Running[0].Since = began.Add(-time.Hour)
			}
		})
	}},
	{"after a job timed out on a quiet queue, new ones have just begun", diagnose.Healthy, true, func() *story {
		return calm().full().still().worker(func(i int, _ time.Duration, w *queue.Worker) {
			w.Recent[0].TimedOut = int64(i / 5)
			for n := range w.Running {
				w.Running[n].Since = w.SaidAt.Add(-time.Second)
			}
		})
	}},
	{"the same, but jobs are late", diagnose.StuckHandler, false, func() *story {
		return calm().late(time.Minute, 12, false).full().still().worker(func(i int, _ time.Duration, w *queue.Worker) {
			w.Recent[0].TimedOut = int64(i / 5)
			for n := range w.Running {
				w.Running[n].Since = w.SaidAt.Add(-time.Second)
			}
		})
	}},
	{"some slots are deaf", diagnose.StuckHandler, false, func() *story {
		return calm().worker(func(_ int, _ time.Duration, w *queue.Worker) { w.Deaf = 1 })
	}},
	{"free slots claim nothing", diagnose.StuckDispatch, false, func() *story {
		return calm().late(time.Minute, 12, false).still().worker(func(_ int, _ time.Duration, w *queue.Worker) { w.Busy, w.Running = 0, nil })
	}},
	{"free slots claim nothing, held by a limit", diagnose.Throttled, false, func() *story {
		s := calm().late(time.Minute, 12, false).still().worker(func(_ int, _ time.Duration, w *queue.Worker) { w.Busy, w.Running = 0, nil })
		s.last().Held = []diagnose.Held{{Queue: "q", Jobs: s.last().Queues[0].Ready.N, Limit: "5 at once"}}
		return s
	}},
	{"free slots claim nothing, and who works is not known", diagnose.Undetermined, false, func() *story {
		return calm().late(time.Minute, 12, false).each(func(_ int, _ time.Duration, _ *queue.Depth, s *diagnose.Sample) {
			s.Workers, s.NoPresence = nil, "not kept"
		})
	}},
	{"four die young", diagnose.CrashLoop, false, func() *story { s := calm(); s.last().Gone = gone(4, 20*time.Second, 15*time.Second); return s }},
	{"four die old", diagnose.Healthy, true, func() *story { s := calm(); s.last().Gone = gone(4, 20*time.Second, time.Hour); return s }},
	{"a host takes four with it", diagnose.Healthy, true, func() *story { s := calm(); s.last().Gone = gone(4, 0, 2*time.Minute); return s }},
	{"two jobs fail again and again", diagnose.Poison, false, func() *story {
		return calm().failing(queue.Failing{Signature: "no price", Text: "no price", Count: 8, Jobs: 2, Top: some(2, 4)})
	}},
	{"one job failed once", diagnose.Healthy, true, func() *story {
		return calm().failing(queue.Failing{Signature: "no price", Text: "no price", Count: 1, Jobs: 1, Top: some(1, 1)})
	}},
	{"many fail in one way", diagnose.DependencyDown, false, func() *story {
		return calm().failing(queue.Failing{Signature: "refused", Text: "refused", Count: 60, Jobs: 32, Top: some(5, 3)}).worker(func(i int, _ time.Duration, w *queue.Worker) {
			w.Recent[0].Failed, w.Recent[0].Done = int64(6*i), 500
		})
	}},
	{"many fail, but most are done", diagnose.Healthy, true, func() *story {
		return calm().failing(queue.Failing{Signature: "refused", Text: "refused", Count: 10, Jobs: 10, Top: some(5, 1)}).worker(func(i int, _ time.Duration, w *queue.Worker) { w.Recent[0].Failed = int64(i) })
	}},
	{"the only two jobs fail", diagnose.Undetermined, false, func() *story {
		return calm().failing(queue.Failing{Signature: "no price", Text: "no price", Count: 8, Jobs: 2, Top: some(2, 4)}).worker(func(i int, _ time.Duration, w *queue.Worker) {
			w.Recent[0].Failed, w.Recent[0].Done = int64(i), 500
		})
	}},
	{"more comes than is done", diagnose.UnderProvisioned, false, func() *story { return calm().late(time.Minute, 12, true).full() }},
	{"the backlog falls", diagnose.CatchingUp, true, func() *story { return calm().late(time.Minute, -9, true).full() }},
	{"the backlog stays", diagnose.CatchingUp, true, func() *story { return calm().late(time.Minute, 0, true).full() }},
	{"jobs give up", diagnose.DeadLettersGrowing, false, func() *story {
		return calm().each(func(i int, _ time.Duration, d *queue.Depth, _ *diagnose.Sample) {
			d.Dead, d.Done = int64(i/2), d.Done-int64(i/2)
		})
	}},
	{"one job gave up", diagnose.Healthy, true, func() *story {
		return calm().each(func(i int, _ time.Duration, d *queue.Depth, _ *diagnose.Sample) {
			d.Dead, d.Done = int64(i/9), d.Done-int64(i/9)
		})
	}},
	{"nothing at all", diagnose.Idle, true, func() *story {
		return calm().each(func(_ int, _ time.Duration, d *queue.Depth, s *diagnose.Sample) {
			*d = queue.Depth{Queue: "q", AsOf: d.AsOf, Accepted: 50, Done: 40, Queued: 10, Waiting: queue.Seen{N: 10}}
			s.Workers = nil
		})
	}},
	{"late at the first sample", diagnose.Undetermined, false, func() *story {
		s := calm().late(20*time.Second, 1, true)
		s.samples = s.samples[9:]
		return s
	}},
	{"the clock was set back in the midst", diagnose.Healthy, true, func() *story {
		return calm().each(func(i int, _ time.Duration, d *queue.Depth, s *diagnose.Sample) {
			if i < 5 {
				d.AsOf, s.At = d.AsOf.Add(time.Hour), s.At.Add(time.Hour)
			}
		})
	}},
	{"the clock was set ahead in the midst", diagnose.UnderProvisioned, false, func() *story {
		return calm().late(time.Minute, 12, true).full().each(func(i int, _ time.Duration, d *queue.Depth, s *diagnose.Sample) {
			if i < 3 {
				d.AsOf, s.At = d.AsOf.Add(-time.Hour), s.At.Add(-time.Hour)
			}
		})
	}},
}

func TestVerdicts(t *testing.T) {
	seen := map[diagnose.Verdict]bool{}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			found := diagnose.Diagnose(c.make().samples, diagnose.Rules{})
			if len(found) != 1 {
				t.Fatalf("%d findings", len(found))
			}
			f := found[0]
			seen[f.Verdict] = true
			if f.Verdict != c.want || f.Well != c.well {
				t.Fatalf("%s (well: %v), want %s (%v): %s also %v", f.Verdict, f.Well, c.want, c.well, f.Says, f.Also)
			}
			complete(t, f)
			if c.well != (len(f.Also) == 0) && c.well {
				t.Errorf("well, and also %v", f.Also)
			}
			t.Log(f.Says)
		})
	}
	for _, v := range verdicts {
		if !seen[v] {
			t.Errorf("no case is %s", v)
		}
	}
}

// complete fails unless a person has all that a finding is to tell.
func complete(t *testing.T, f diagnose.Finding) {
	t.Helper()
	switch {
	case f.Says == "" || !strings.HasSuffix(f.Says, "."):
		t.Errorf("%s says %q", f.Verdict, f.Says)
	case f.Change == "":
		t.Errorf("%s: nothing would change it", f.Verdict)
	case f.Well != (f.Runbook == "") || !f.Well && (f.Do == "" || f.Runbook != string(f.Verdict)):
		t.Errorf("%s: do %q, runbook %q", f.Verdict, f.Do, f.Runbook)
	case len(f.Evidence) == 0 || f.Samples == 0 && f.Verdict != diagnose.BrokerDown && f.Verdict != diagnose.NoData:
		t.Errorf("%s: %d pieces of evidence of %d samples", f.Verdict, len(f.Evidence), f.Samples)
	}
	for _, e := range f.Evidence {
		if e.Name == "" || len(e.Jobs) > diagnose.MaxNamed || len(e.Workers) > diagnose.MaxNamed {
			t.Errorf("%s: %+v", f.Verdict, e)
		}
	}
	if slices.Contains(f.Also, f.Verdict) {
		t.Errorf("%s, and also itself", f.Verdict)
	}
}

// What a person is told of too few slots is what Little's law says.
func TestCapacity(t *testing.T) {
	f := diagnose.Diagnose(calm().late(time.Minute, 12, true).full().samples, diagnose.Rules{})[0]
	c := f.Capacity
	// 2 jobs a second are done by 8 full slots, so each takes one for 4 s, though it runs for 1.5 s. 4 come: 16 slots would be
	// busy, of 20.
	if c == nil || c.Arrivals != 4 || c.Completions != 2 || c.MeanRun != 1500*time.Millisecond || c.Slots != 8 || c.Utilisation != 1 || c.Needed != 20 || c.Backlog != 208 || !c.Drained.IsZero() {
		t.Fatalf("%+v", c)
	}
	// 20 slots do 5 a second: 208 jobs at 1 a second.
	if in := c.DrainedBy.Sub(f.At).Round(time.Second); in != 208*time.Second {
		t.Errorf("drained in %s", in)
	}
	if c = diagnose.Diagnose(calm().late(time.Minute, -9, true).full().samples, diagnose.Rules{})[0].Capacity; c.Drained.Sub(began.Add(54*time.Second)).Round(time.Second) != 13*time.Second {
		t.Errorf("drained at %s: %+v", c.Drained, c)
	}
	if c = diagnose.Diagnose(calm().samples[:1], diagnose.Rules{})[0].Capacity; c != nil {
		t.Errorf("of one sample: %+v", c)
	}
}
