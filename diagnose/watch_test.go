package diagnose_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twicehq/twice/diagnose"
	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/queue"
)

// told is an engine that tells what a test puts into it.
type told struct {
	queue.Engine
	depths  []queue.Depth
	workers []queue.Worker
	hang    chan struct{} // Depths does not return before it is closed; nil: it does
}

func (e *told) Depths(context.Context, ...string) ([]queue.Depth, error) {
	if e.hang != nil {
		<-e.hang
	}
	return e.depths, nil
}
func (e *told) Job(context.Context, queue.ID) (queue.Record, error) {
	return queue.Record{}, queue.ErrNotFound
}
func (e *told) List(context.Context, queue.Query) (queue.Page, error)       { return queue.Page{}, nil }
func (e *told) Announce(context.Context, queue.Worker, time.Duration) error { return nil }
func (e *told) Withdraw(context.Context, string) error                      { return nil }
func (e *told) Workers(context.Context) ([]queue.Worker, error)             { return e.workers, nil }
func (e *told) Ping(context.Context) error                                  { return nil }

func newMemory(t *testing.T) *memory.Engine {
	engine, err := memory.New(memory.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

func verdictOf(t *testing.T, w *diagnose.Watch) diagnose.Finding {
	t.Helper()
	all := w.Findings()
	if len(all) != 1 {
		t.Fatalf("%d findings: %+v", len(all), all)
	}
	complete(t, all[0])
	return all[0]
}

func TestWatchOfAnEngineThatComesAndGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &gate{Engine: newMemory(t)}
		w := diagnose.NewWatch(g, diagnose.Config{})
		if all := w.Findings(); len(all) != 0 {
			t.Errorf("before any sample: %+v", all)
		}
		g.shut.Store(true)
		w.Take(t.Context())
		if f := verdictOf(t, w); f.Verdict != diagnose.BrokerDown || f.Queue != "" {
			t.Errorf("never seen: %+v", f)
		}
		g.shut.Store(false)
		if s := w.Take(t.Context()); s.Down != "" || len(w.Findings()) != 0 {
			t.Errorf("an empty engine: %+v, %+v", s, w.Findings())
		}
		if _, err := g.Enqueue(t.Context(), queue.Job{Queue: "q", Kind: "k", Key: "1"}); err != nil {
			t.Fatal(err)
		}
		w.Take(t.Context())
		g.shut.Store(true)
		time.Sleep(6 * time.Second)
		w.Take(t.Context())
		if f := verdictOf(t, w); f.Verdict != diagnose.BrokerDown || f.Queue != "q" || f.Capacity != nil {
			t.Errorf("gone: %+v", f)
		}
		g.shut.Store(false)
		time.Sleep(6 * time.Second)
		w.Take(t.Context())
		if f := verdictOf(t, w); f.Verdict == diagnose.BrokerDown {
			t.Errorf("back: %+v", f)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		n := len(w.Samples())
		w.Take(ended)
		if len(w.Samples()) != n {
			t.Error("a sample of a call that was cancelled is kept")
		}
	})
}

// An engine that hangs, deaf to its context, is down, and is asked no more until its call returns.
func TestWatchOfAnEngineThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &told{Engine: newMemory(t), depths: []queue.Depth{{Queue: "q", AsOf: time.Now()}}, hang: make(chan struct{})}
		w := diagnose.NewWatch(e, diagnose.Config{})
		for range 3 {
			began := time.Now()
			if s := w.Take(t.Context()); s.Down == "" || time.Since(began) > 4*time.Second {
				t.Errorf("%+v after %s", s, time.Since(began))
			}
			time.Sleep(6 * time.Second)
		}
		if f := verdictOf(t, w); f.Verdict != diagnose.BrokerDown {
			t.Errorf("%+v", f)
		}
		close(e.hang)
		synctest.Wait()
		if s := w.Take(t.Context()); s.Down != "" || verdictOf(t, w).Verdict == diagnose.BrokerDown {
			t.Errorf("after it returned: %+v", s)
		}
	})
}

func TestWatchOfAnEngineThatCannotCount(t *testing.T) {
	w := diagnose.NewWatch(struct{ queue.Engine }{newMemory(t)}, diagnose.Config{})
	if s := w.Take(t.Context()); s.Unread == "" || verdictOf(t, w).Verdict != diagnose.NoData {
		t.Errorf("%+v", s)
	}
}

// A queue that is asked for by name is told of, also where nothing was ever in it.
func TestWatchOfNamedQueues(t *testing.T) {
	e := newMemory(t)
	for _, name := range []string{"a", "b"} {
		if _, err := e.Enqueue(t.Context(), queue.Job{Queue: name, Kind: "k", Key: name}); err != nil {
			t.Fatal(err)
		}
	}
	w := diagnose.NewWatch(e, diagnose.Config{Queues: []string{"b", "none"}})
	w.Take(t.Context())
	all := w.Findings()
	if len(all) != 2 || all[0].Queue != "b" || all[1].Queue != "none" || all[1].Verdict != diagnose.Idle {
		t.Errorf("%+v", all)
	}
}

// A million queues: those where something is due are kept, the others counted.
func TestWatchOfAMillionQueues(t *testing.T) {
	e := &told{Engine: newMemory(t), depths: idle(1_000_000)}
	for n := range 100 {
		e.depths[n*9999].Ready.N, e.depths[n*9999].OldestDue = 1, began.Add(-time.Hour)
	}
	w := diagnose.NewWatch(e, diagnose.Config{Timeout: time.Minute})
	if s := w.Take(t.Context()); s.Down != "" || len(s.Queues) != diagnose.DefaultMaxQueues || s.QueuesOmitted != 999_000 {
		t.Fatalf("%d queues and %d more; down: %s", len(s.Queues), s.QueuesOmitted, s.Down)
	}
	late := 0
	for _, f := range w.Findings() {
		if f.Verdict != diagnose.Idle {
			late++
		}
	}
	if late != 100 {
		t.Errorf("%d of 100 late queues told", late)
	}
}

func idle(n int) []queue.Depth {
	depths := make([]queue.Depth, n)
	for i := range depths {
		depths[i] = queue.Depth{Queue: fmt.Sprint("q", i), AsOf: began, Accepted: 1, Done: 1}
	}
	return depths
}

// What workers say of themselves is bounded too, and ten samples of it.
func TestWatchIsBounded(t *testing.T) {
	e := &told{Engine: newMemory(t), depths: idle(100)}
	long := strings.Repeat("x", 10_000)
	for n := range 1500 {
		w := queue.Worker{Name: fmt.Sprint("w", n, long), Queues: []string{"q0"}, SeenAt: began, SaidAt: began, Slots: 1}
		for k := range 100 {
			w.Recent = append(w.Recent, queue.Recent{Queue: "q0", Kind: fmt.Sprint("k", n, k), Measured: 99, P99: time.Second, Failures: []queue.Failing{{Text: long}}})
			w.Running = append(w.Running, queue.Progress{Queue: "q0", Kind: "k"})
		}
		e.workers = append(e.workers, w)
	}
	w := diagnose.NewWatch(e, diagnose.Config{Timeout: time.Minute})
	before := heap()
	for range 12 {
		if s := w.Take(t.Context()); s.Down != "" || len(s.Workers) != diagnose.DefaultMaxWorkers || s.WorkersOmitted != 500 || len(s.Usual) > 10_000 {
			t.Fatalf("%d workers and %d more, %d usual run times; down: %s", len(s.Workers), s.WorkersOmitted, len(s.Usual), s.Down)
		}
	}
	if n := len(w.Samples()); n != diagnose.DefaultWindow || len(w.Findings()) != 100 {
		t.Errorf("%d samples kept, %d findings", n, len(w.Findings()))
	}
	if grown := heap() - before; grown > 400<<20 {
		t.Errorf("grown by %d MiB", grown>>20)
	} else {
		t.Logf("grown by %d MiB", grown>>20)
	}
	runtime.KeepAlive(w)
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Whatever workers say of themselves, a finding is complete and its numbers are numbers.
func TestNonsense(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	ints := []int{0, 1, -1, 7, math.MaxInt, math.MinInt}
	times := []time.Time{{}, began, began.Add(time.Minute), began.Add(1000 * time.Hour), began.Add(-1000 * time.Hour), time.Unix(1<<40, 0), time.Unix(-1<<40, 0)}
	spans := []time.Duration{0, time.Second, -time.Second, math.MaxInt64, math.MinInt64}
	n := func() int { return ints[r.IntN(len(ints))] }
	n64 := func() int64 { return int64(n()) }
	at := func() time.Time { return times[r.IntN(len(times))] }
	span := func() time.Duration { return spans[r.IntN(len(spans))] }
	for range 5000 {
		s := calm()
		s.each(func(_ int, _ time.Duration, d *queue.Depth, sample *diagnose.Sample) {
			if r.IntN(3) == 0 {
				d.Ready.N, d.Expired.N, d.Waiting.N, d.Queued, d.Running, d.Accepted, d.Done, d.Dead = n(), n(), n(), n64(), n64(), n64(), n64(), n64()
				d.OldestDue, d.Ready.More, d.Waiting.More = at(), r.IntN(2) == 0, r.IntN(2) == 0
			}
			if r.IntN(9) == 0 {
				d.AsOf, sample.At = at(), at()
			}
			sample.Due = []diagnose.Due{{Queue: "q", Kind: "k", N: n(), Oldest: at()}}
			sample.Held = []diagnose.Held{{Queue: "q", Jobs: n()}}
			sample.Usual = []diagnose.Usual{{Queue: "q", Kind: "k", P99: span()}}
			sample.Gone = append(gone(3, span()/8, span()), diagnose.Gone{Queues: []string{"q"}, At: at(), Started: at(), Lived: span()})
		})
		s.worker(func(_ int, _ time.Duration, w *queue.Worker) {
			w.Slots, w.Busy, w.Deaf, w.Silent = n(), n(), n(), r.IntN(4) == 0
			w.SeenAt, w.SaidAt, w.Started, w.LastPoll = at(), at(), at(), at()
			w.Running = append(w.Running, queue.Progress{Kind: "k", Since: at(), Moved: at(), Done: n(), Total: n()})
			w.Recent = append(w.Recent, queue.Recent{Queue: "q", Kind: "k", Begun: n64(), Done: n64(), Failed: n64(), TimedOut: n64(), Run: span(), P99: span(), Measured: n(), LastDone: at(), Others: n(),
				Failures: []queue.Failing{{Count: n(), Jobs: n(), Top: []queue.Repeat{{N: n()}, {N: n()}}}}})
		})
		for _, f := range diagnose.Diagnose(s.samples, diagnose.Rules{}) {
			complete(t, f)
			for _, e := range f.Evidence {
				if math.IsNaN(e.Value) || math.IsInf(e.Value, 0) {
					t.Fatalf("%s: %+v", f.Verdict, e)
				}
			}
			if c := f.Capacity; c != nil && (!(c.Arrivals >= 0) || !(c.Completions >= 0) || c.Needed < 0 || !(c.Utilisation >= 0 && c.Utilisation <= 1)) {
				t.Fatalf("%s: %+v", f.Verdict, c)
			}
		}
	}
}
