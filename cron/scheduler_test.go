package cron_test

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/cron"
	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/queue"
)

type tick struct {
	Due time.Time `json:"due"`
}

var ticks = twice.Define("test.tick", twice.Policy[tick]{Key: twice.Fresh[tick]})

// world is an engine whose writes may fail, before or after they were carried out.
type world struct {
	*memory.Engine
	mu     sync.Mutex
	random *rand.Rand
	often  float64
	events []cron.Event
}

func newWorld(t *testing.T) *world {
	e, err := memory.New(memory.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return &world{Engine: e, random: rand.New(rand.NewPCG(1, 2))}
}

func (w *world) fails() (before, after bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.random.Float64() < w.often/2, w.random.Float64() < w.often/2
}

func (w *world) Fire(ctx context.Context, name string, before, due time.Time, job queue.Job) (queue.Receipt, error) {
	early, late := w.fails()
	if early {
		return queue.Receipt{}, queue.ErrUnavailable
	}
	r, err := w.Engine.Fire(ctx, name, before, due, job)
	if late {
		return queue.Receipt{}, queue.ErrUnknownOutcome
	}
	return r, err
}

func (w *world) PutSchedule(ctx context.Context, s queue.Schedule) error {
	if early, _ := w.fails(); early {
		return queue.ErrUnavailable
	}
	return w.Engine.PutSchedule(ctx, s)
}

func (w *world) Schedules(ctx context.Context) ([]queue.Schedule, error) {
	if early, _ := w.fails(); early {
		return nil, queue.ErrUnavailable
	}
	return w.Engine.Schedules(ctx)
}

func (w *world) observe(_ context.Context, e cron.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, e)
}

func (w *world) count(what cron.What) (n, skipped int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.events {
		if e.What == what {
			n++
			skipped += e.Skipped
		}
	}
	return n, skipped
}

// run starts a scheduler and gives what stops it. hold, where not nil, is called before each job is made.
func (w *world) run(t *testing.T, hold func(), entries ...cron.Entry) (stop func()) {
	t.Helper()
	s := cron.New(w, cron.Config{Logger: slog.New(slog.DiscardHandler), Observers: []cron.Observer{cron.ObserverFunc(w.observe)}})
	for _, e := range entries {
		if hold != nil {
			maker := e.Job
			e.Job = func(ctx context.Context, due time.Time) (queue.Job, error) { hold(); return maker(ctx, due) }
		}
		s.Add(e)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	return func() {
		t.Helper()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

func entry(spec string) cron.Entry {
	return cron.Of("tick", spec, "", ticks, func(due time.Time) tick { return tick{due} })
}

// keys gives the keys of all jobs; they must be in queued or any other state, each once.
func (w *world) keys(t *testing.T) map[string]queue.Record {
	t.Helper()
	all := map[string]queue.Record{}
	for cursor := ""; ; {
		page, err := w.List(t.Context(), queue.Query{Cursor: cursor, Limit: queue.MaxPage})
		if err != nil {
			t.Fatal(err)
		}
		for _, rec := range page.Records {
			if _, ok := all[rec.Job.Key]; ok {
				t.Errorf("two jobs of %s", rec.Job.Key)
			}
			all[rec.Job.Key] = rec
		}
		if cursor = page.Next; cursor == "" {
			return all
		}
	}
}

func (w *world) wantTicks(t *testing.T, from time.Time, every time.Duration, n int) {
	t.Helper()
	keys := w.keys(t)
	due := from
	for range n {
		if _, ok := keys[cron.Key("tick", due)]; !ok {
			t.Errorf("no job for %s", due)
		}
		due = due.Add(every)
	}
	if len(keys) != n {
		t.Errorf("%d jobs for %d instants", len(keys), n)
	}
}

// Case 10: both believe they lead, 100 ticks, one is paused and resumed across a tick, writes fail now and then.
func TestCase10TwoSchedulers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.often = 0.3
		start := time.Now()
		var mu sync.Mutex
		calls := 0
		stopA := w.run(t, func() { time.Sleep(time.Millisecond) }, entry("@every 1m"))
		stopB := w.run(t, func() { // frozen now and then between reading the entry and firing it
			mu.Lock()
			calls++
			frozen := calls%5 == 0
			mu.Unlock()
			if frozen {
				time.Sleep(90 * time.Second)
			}
		}, entry("@every 1m"))
		time.Sleep(100*time.Minute + 30*time.Second)
		stopA()
		stopB()
		w.wantTicks(t, start.Truncate(time.Minute).Add(time.Minute), time.Minute, 100)
		if fired, skipped := w.count(cron.Fired); fired == 0 || skipped != 0 {
			t.Errorf("%d fired, %d skipped", fired, skipped)
		}
		if beaten, _ := w.count(cron.Beaten); beaten == 0 {
			t.Error("the two never met")
		}
		if failed, _ := w.count(cron.Failed); failed == 0 {
			t.Error("no write failed")
		}
	})
}

// Case 11: interval 7, the process restarted every 2; then instants missed; then many nodes at once.
func TestCase11AScheduleSurvives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		start := time.Now() // a multiple of 7 min it is not
		first := start.Truncate(time.Second)
		for first = first.Add(time.Second); first.Unix()%420 != 0; first = first.Add(time.Second) {
		}
		for time.Since(start) < 70*time.Minute {
			stop := w.run(t, nil, entry("@every 7m"))
			time.Sleep(2 * time.Minute)
			stop()
		}
		n := int(time.Since(first)/(7*time.Minute)) + 1
		w.wantTicks(t, first, 7*time.Minute, n)

		time.Sleep(21 * time.Minute) // three are missed
		var stops []func()
		for range 4 {
			stops = append(stops, w.run(t, nil, entry("@every 7m")))
		}
		time.Sleep(time.Second)
		if got := len(w.keys(t)); got != n+1 {
			t.Errorf("%d jobs after three missed instants, want one more than %d", got, n)
		}
		if _, skipped := w.count(cron.Fired); skipped != 2 {
			t.Errorf("%d counted as skipped, want 2", skipped)
		}
		time.Sleep(7 * time.Minute)
		if got := len(w.keys(t)); got != n+2 {
			t.Errorf("%d jobs, want %d: it went on", got, n+2)
		}
		for _, stop := range stops {
			stop()
		}
	})
}

// Killed after the fire's write and before its reply: the next one finds it done.
func TestKilledBetweenFireAndNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		stop := w.run(t, nil, entry("@every 1m"))
		time.Sleep(time.Minute - time.Millisecond)
		w.mu.Lock()
		w.often = 2 // every reply is lost, and every write
		w.mu.Unlock()
		time.Sleep(10 * time.Second)
		stop()
		w.mu.Lock()
		w.often = 0
		w.mu.Unlock()
		defer w.run(t, nil, entry("@every 1m"))()
		time.Sleep(time.Second)
		if n := len(w.keys(t)); n != 1 {
			t.Errorf("%d jobs", n)
		}
	})
}

func TestTheJobIsTheInstants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		stop := w.run(t, nil, cron.Of("nightly", "daily 02:30", "America/New_York", ticks, func(due time.Time) tick { return tick{due} }))
		time.Sleep(48 * time.Hour)
		stop()
		rec, ok := w.keys(t)["nightly@2000-01-01T07:30:00Z"]
		due := time.Date(2000, 1, 1, 7, 30, 0, 0, time.UTC)
		if !ok || !rec.Job.RunAt.Equal(due) || !rec.Job.Origin.Equal(due) || rec.Job.ID != queue.NewID("test.tick", "nightly@2000-01-01T07:30:00Z") {
			t.Errorf("%v %+v", ok, rec.Job)
		}
	})
}

func TestPausedAndDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		by := queue.Actor{Name: "ann", Why: "test"}
		stop := w.run(t, nil, entry("@every 1m"))
		time.Sleep(90 * time.Second)
		if err := w.PauseSchedule(t.Context(), by, "tick", true); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Minute)
		if n := len(w.keys(t)); n != 1 {
			t.Errorf("%d jobs while paused", n)
		}
		if err := w.PauseSchedule(t.Context(), by, "tick", false); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Second)
		if n := len(w.keys(t)); n != 2 {
			t.Errorf("%d jobs after it was resumed: the latest missed instant is fired", n)
		}
		if err := w.DropSchedule(t.Context(), by, "tick"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Minute)
		if n := len(w.keys(t)); n > 3 {
			t.Errorf("%d jobs after it was dropped", n)
		}
		stop()
	})
}

// One entry whose maker fails, panics or makes another kind holds up no other.
func TestABadMakerHoldsUpNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		bad := func(name string, make func() (queue.Job, error)) cron.Entry {
			return cron.Entry{Name: name, Spec: "@every 1m", Queue: "default", Kind: "test.tick",
				Job: func(context.Context, time.Time) (queue.Job, error) { return make() }}
		}
		stop := w.run(t, nil, entry("@every 1m"),
			bad("fails", func() (queue.Job, error) { return queue.Job{}, errors.New("no") }),
			bad("panics", func() (queue.Job, error) { panic("no") }),
			bad("other", func() (queue.Job, error) { return queue.Job{Kind: "x", Queue: "default"}, nil }))
		time.Sleep(5*time.Minute + time.Second)
		stop()
		if n := len(w.keys(t)); n != 5 {
			t.Errorf("%d jobs", n)
		}
		if n, _ := w.count(cron.Failed); n < 30 || n > 3000 {
			t.Errorf("%d failures told", n)
		}
	})
}

func TestEveryProblemAtOnce(t *testing.T) {
	w := newWorld(t)
	s := cron.New(w, cron.Config{})
	s.Add(cron.Entry{Name: "a b", Spec: "now and then"})
	s.Add(entry("daily 02:30"))
	s.Add(entry("daily 02:30"))
	err := s.Run(t.Context())
	if !errors.Is(err, queue.ErrInvalid) {
		t.Fatal(err)
	}
	for _, want := range []string{"a b", "now and then", "makes no job", "two of that name"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
	if err := cron.New(struct{ queue.Engine }{w}, cron.Config{}).Run(t.Context()); !errors.Is(err, queue.ErrUnsupported) {
		t.Errorf("an engine without schedules: %v", err)
	}
}
