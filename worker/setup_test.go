package worker_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

// TestMain is also the program of a suspect's process: see lone_process_test.go.
func TestMain(m *testing.M) {
	if role := os.Getenv("TWICE_TEST_CHILD"); role != "" {
		os.Exit(child(role))
	}
	os.Exit(m.Run())
}

type args struct {
	N int `json:"n"`
}

func key(a args) string { return fmt.Sprint(a.N) }

var plain = twice.Define("test.plain", twice.Policy[args]{Key: key, MaxFailures: 3, Timeout: time.Minute})

type handler = func(context.Context, twice.Job[args]) error

// scene is an engine, a worker on it, and what it told.
type scene struct {
	t      *testing.T
	engine *memory.Engine
	w      *worker.Worker
	cancel context.CancelFunc
	ended  chan error

	mu     sync.Mutex
	events []worker.Event
	log    bytes.Buffer
}

// newScene must be called in a synctest bubble, or else run in real time.
func newScene(t *testing.T) *scene {
	t.Helper()
	engine, err := memory.New(memory.Config{UniqueFor: 6 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	return &scene{t: t, engine: engine}
}

func (s *scene) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.Write(p)
}

func (s *scene) observe(_ context.Context, e worker.Event) {
	if e.Lease != nil {
		l := *e.Lease
		e.Lease = &l
	}
	if e.Settlement != nil {
		end := *e.Settlement
		e.Settlement = &end
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, e)
}

// worker makes the worker on engine (nil: the scene's), without running it.
func (s *scene) worker(engine queue.Engine, cfg worker.Config) *worker.Worker {
	if engine == nil {
		engine = s.engine
	}
	cfg.Logger = slog.New(slog.NewJSONHandler(s, &slog.HandlerOptions{Level: slog.LevelDebug}))
	cfg.Observers = append(cfg.Observers, worker.ObserverFunc(s.observe))
	return worker.New(engine, cfg)
}

// start runs a worker that handles plain by fn, until stop.
func (s *scene) start(cfg worker.Config, fn handler) { s.startOn(s.worker(nil, cfg), plain, fn) }

func (s *scene) startOn(w *worker.Worker, kind *twice.Kind[args], fn handler) {
	worker.Handle(w, kind, fn)
	ctx, cancel := context.WithCancel(s.t.Context())
	s.w, s.cancel, s.ended = w, cancel, make(chan error, 1)
	go func() { s.ended <- w.Run(ctx) }()
}

func (s *scene) stop() {
	s.t.Helper()
	s.cancel()
	if err := <-s.ended; err != nil {
		s.t.Errorf("Run: %v", err)
	}
}

func (s *scene) enqueue(kind *twice.Kind[args], ns ...int) []queue.ID {
	s.t.Helper()
	var ids []queue.ID
	for _, n := range ns {
		receipt, err := kind.Enqueue(s.t.Context(), s.engine, args{n})
		if err != nil {
			s.t.Fatal(err)
		}
		ids = append(ids, receipt.ID)
	}
	return ids
}

func (s *scene) record(id queue.ID) queue.Record {
	s.t.Helper()
	rec, err := s.engine.Job(s.t.Context(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	return rec
}

func (s *scene) count(what worker.What) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, e := range s.events {
		if e.What == what {
			n++
		}
	}
	return n
}

func (s *scene) last(what worker.What) worker.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.events) - 1; i >= 0; i-- {
		if s.events[i].What == what {
			return s.events[i]
		}
	}
	s.t.Helper()
	s.t.Fatalf("no event %s", what)
	return worker.Event{}
}

func (s *scene) logged() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

// want fails unless the job is in this state with these counts.
func (s *scene) want(id queue.ID, state queue.State, counts queue.Counts) queue.Record {
	s.t.Helper()
	rec := s.record(id)
	if rec.State != state || (rec.Whole && rec.Counts != counts) {
		s.t.Errorf("job is %s %q with %+v, want %s with %+v; error %q", rec.State, rec.Reason, rec.Counts, state, counts, rec.Error)
	}
	return rec
}

var _ io.Writer = (*scene)(nil)
