package worker

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/queue"
)

func newTestRecorder(kinds ...string) *recorder {
	var rules []twice.Rules
	for _, kind := range kinds {
		rules = append(rules, twice.Rules{Kind: kind, Queue: "q"})
	}
	return newRecorder(rules)
}

func endOf(job queue.Job, outcome queue.Outcome, took time.Duration, text string) *Event {
	l := &queue.Lease{Job: job}
	return &Event{What: Ended, At: time.Now(), Lease: l, Outcome: outcome, Run: took, Settlement: &queue.Settlement{Lease: *l, State: queue.Queued, Error: text}}
}

func TestRecorderCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestRecorder("k", "idle")
		job := queue.Job{ID: queue.NewID("k", "1"), Queue: "q", Kind: "k"}
		for n := range 300 {
			r.observe(&Event{What: Started, Lease: &queue.Lease{Job: job, Counts: queue.Counts{Crashes: n / 299}}})
			r.observe(endOf(job, queue.OutcomeDone, time.Duration(n)*time.Second, ""))
		}
		for _, o := range []queue.Outcome{queue.OutcomeFailed, queue.OutcomeTimedOut, queue.OutcomePanicked, queue.OutcomeInterrupted, queue.OutcomeSnoozed, queue.OutcomeBuried, 0} {
			r.observe(endOf(job, o, time.Hour, "order 17 is gone"))
		}
		r.observe(&Event{What: LeaseLost, Lease: &queue.Lease{Job: job}})
		r.observe(&Event{What: LoneEnded, Lease: &queue.Lease{Job: job}, Err: errors.New("exit status 2")})
		r.observe(&Event{What: LoneEnded, Lease: &queue.Lease{Job: job}})
		r.observe(&Event{What: Pruned, N: 7})
		told, unlisted := r.recent(time.Now())
		if len(told) != 1 || unlisted != 0 {
			t.Fatalf("%d places told, %d not", len(told), unlisted)
		}
		g := told[0]
		if g.Begun != 300 || g.Done != 300 || g.Failed != 1 || g.TimedOut != 1 || g.Panicked != 1 || g.Interrupted != 1 || g.Snoozed != 1 || g.Buried != 1 ||
			g.Ended() != 306 || g.Lost != 1 || g.Crashed != 1 || g.AfterCrash != 1 || g.Run != 6*time.Hour+299*150*time.Second {
			t.Errorf("%+v", g)
		}
		// The last 256 took 44 s to 299 s.
		if g.Measured != 256 || g.P50 != 171*time.Second || g.P99 != 297*time.Second {
			t.Errorf("p50 %s, p99 %s of %d", g.P50, g.P99, g.Measured)
		}
		if len(g.Failures) != 1 || g.Failures[0].Count != 4 || g.Failures[0].Signature != "order # is gone" || g.Failures[0].Text != "order 17 is gone" || g.Failures[0].Jobs != 1 || g.Failures[0].Top[0] != (queue.Repeat{Job: job.ID, N: 4}) {
			t.Errorf("%+v", g.Failures)
		}
		time.Sleep(90 * time.Second)
		if told, _ = r.recent(time.Now()); told[0].Failures[0].Count != 4 {
			t.Errorf("a failure of 90 s ago is forgotten: %+v", told[0].Failures)
		}
		time.Sleep(time.Minute)
		if told, _ = r.recent(time.Now()); len(told[0].Failures) != 0 || told[0].Failed != 1 {
			t.Errorf("a failure of 150 s ago is told: %+v", told[0].Failures)
		}
	})
}

// A million error texts, queues and jobs take no more room than a few, and do not hide the error that repeats.
func TestRecorderIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestRecorder("k")
		words := strings.Fields("a b c d e f g h i j")
		for n := range 20_000 {
			job := queue.Job{ID: queue.NewID("k", fmt.Sprint(n)), Queue: "q", Kind: "k"}
			text := fmt.Sprintf("%s is %s and %s with %s", words[n%10], words[n/10%10], words[n/100%10], words[n/1000%10])
			if n%3 == 0 {
				text = "connection refused " + strings.Repeat("é", 5000)
			}
			r.observe(endOf(job, queue.OutcomeFailed, 0, text))
			job.Queue = fmt.Sprint("q", n)
			r.observe(endOf(job, queue.OutcomeDone, 0, ""))
		}
		told, unlisted := r.recent(time.Now())
		if len(told) != queue.MaxRecent || unlisted == 0 {
			t.Errorf("%d places told, %d not", len(told), unlisted)
		}
		if len(r.strays) > queue.MaxRecent || len(r.dropped) > queue.MaxRecent {
			t.Errorf("%d and %d places kept", len(r.strays), len(r.dropped))
		}
		g := r.home["k"].recent(time.Now())
		if len(g.Failures) != queue.MaxFailing || g.Failures[0].Count != 6667 || g.Failures[0].Jobs != queue.MaxDistinct || len(g.Failures[0].Top) != queue.MaxRepeats {
			t.Errorf("%d signatures, the first: %+v", len(g.Failures), g.Failures[0])
		}
		total := g.Others
		for _, f := range g.Failures {
			total += f.Count
			if len(f.Text) > queue.MaxSample || len(f.Signature) > queue.MaxSignature {
				t.Errorf("texts of %d and %d bytes", len(f.Text), len(f.Signature))
			}
		}
		if total != 20_000 {
			t.Errorf("%d failures told of 100,000", total)
		}
	})
}

func TestRecorderAllocatesNothing(t *testing.T) {
	r := newTestRecorder("k")
	job := queue.Job{ID: queue.NewID("k", "1"), Queue: "q", Kind: "k"}
	started, done := &Event{What: Started, Lease: &queue.Lease{Job: job}}, endOf(job, queue.OutcomeDone, time.Second, "")
	if n := testing.AllocsPerRun(1000, func() { r.observe(started); r.observe(done) }); n != 0 {
		t.Errorf("%v allocations for an attempt that is done", n)
	}
}

func BenchmarkRecorder(b *testing.B) {
	r := newTestRecorder("k")
	job := queue.Job{ID: queue.NewID("k", "1"), Queue: "q", Kind: "k"}
	started, done := &Event{What: Started, Lease: &queue.Lease{Job: job}}, endOf(job, queue.OutcomeDone, time.Second, "")
	b.ReportAllocs()
	for b.Loop() {
		r.observe(started)
		r.observe(done)
	}
}
