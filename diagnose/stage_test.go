package diagnose_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/diagnose"
	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

// window is what a verdict looks at: 10 samples of 6 s.
const window = 60 * time.Second

type args struct {
	N  int `json:"n"`
	Ms int `json:"ms"` // how long it runs
}

// stage is an engine with workers and a producer on it, all in one bubble of virtual time. What a scene leaves open is
// drawn from its seed.
type stage struct {
	t      *testing.T
	r      *rand.Rand
	ctx    context.Context
	engine *memory.Engine
	broker *gate // between the engine and all others
	watch  *diagnose.Watch
	timed  time.Duration // timeout of the kinds

	pods, slots int           // workers, and slots of each
	rate        float64       // jobs a second
	mean        time.Duration // of a run
	n           atomic.Int64  // jobs made
	pace        atomic.Int64  // rate, in jobs per 1,000 s
	make        atomic.Pointer[twice.Kind[args]]

	act     atomic.Pointer[func(context.Context, twice.Job[args]) error] // in the place of a well handler
	release chan struct{}                                                // closed at the end: what hangs goes on

	mu    sync.Mutex
	all   []*pod
	wait  sync.WaitGroup
	found []diagnose.Finding // of the queue, at each sample
}

const theQueue = "orders"

func (s *stage) between(from, to float64) float64 { return from + s.r.Float64()*(to-from) }

func (s *stage) pick(from, to int) int { return from + s.r.IntN(to-from+1) }

func (s *stage) kind(name string) *twice.Kind[args] {
	return twice.Define(name, twice.Policy[args]{Queue: theQueue, Key: func(a args) string { return fmt.Sprint(a.N) },
		MaxFailures: 10_000, Timeout: s.timed, BackoffLimit: 6 * time.Second})
}

// play runs a scene on virtual time. What it does after its onset is the scene's; the verdict is then asked for.
func play(t *testing.T, seed uint64, scene func(*stage)) (s *stage) {
	synctest.Test(t, func(t *testing.T) {
		engine, err := memory.New(memory.Config{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		s = &stage{t: t, r: rand.New(rand.NewPCG(seed, 4)), ctx: ctx, engine: engine, broker: &gate{Engine: engine}, release: make(chan struct{}), timed: 5 * time.Minute}
		s.pods, s.slots = s.pick(1, 3), s.pick(2, 6)
		s.rate = s.between(0.5, 1.5)
		busy := s.between(0.3, 0.6) * float64(s.pods*s.slots)
		s.mean = time.Duration(busy / s.rate * float64(time.Second))
		s.setRate(s.rate)
		s.make.Store(s.kind("orders.charge"))
		s.watch = diagnose.NewWatch(s.broker, diagnose.Config{})
		scene(s)
		cancel()
		close(s.release)
		s.wait.Wait()
		time.Sleep(10 * time.Minute) // handlers that no worker waits for any more
	})
	return s
}

func (s *stage) setRate(perSecond float64) { s.pace.Store(int64(perSecond * 1000)) }

// start begins to produce, to work and to watch.
func (s *stage) start() {
	for range s.pods {
		s.pod(&gate{Engine: s.engine, via: s.broker}, "orders.charge")
	}
	s.begin()
}

// begin is start without workers.
func (s *stage) begin() {
	own := rand.New(rand.NewPCG(s.r.Uint64(), 5))
	s.wait.Go(func() { s.produce(own) })
	time.Sleep(time.Duration(s.r.Int64N(int64(6 * time.Second))))
	s.wait.Go(func() {
		for s.ctx.Err() == nil {
			s.watch.Take(s.ctx)
			f, ok := s.verdict()
			if ok {
				s.mu.Lock()
				s.found = append(s.found, f)
				s.mu.Unlock()
			}
			s.sleep(6 * time.Second)
		}
	})
}

func (s *stage) verdict() (diagnose.Finding, bool) {
	all := s.watch.Findings()
	i := slices.IndexFunc(all, func(f diagnose.Finding) bool { return f.Queue == theQueue || f.Queue == "" })
	if i < 0 {
		return diagnose.Finding{}, false
	}
	return all[i], true
}

// sleep lets virtual time pass; false: the scene is over.
func (s *stage) sleep(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-s.ctx.Done():
		return false
	}
}

// produce makes jobs at random moments, on average as many as the rate says.
func (s *stage) produce(own *rand.Rand) {
	for {
		pace := s.pace.Load()
		if pace <= 0 {
			if !s.sleep(time.Second) {
				return
			}
			continue
		}
		if !s.sleep(time.Duration(own.ExpFloat64() * 1000 / float64(pace) * float64(time.Second))) {
			return
		}
		s.enqueue(1, own)
	}
}

func (s *stage) enqueue(n int, r *rand.Rand) {
	jobs := make([]queue.Job, n)
	for i := range jobs {
		took := s.mean / 2
		took += time.Duration(r.Int64N(int64(s.mean) + 1))
		job, err := s.make.Load().Job(s.ctx, args{N: int(s.n.Add(1)), Ms: int(took.Milliseconds())})
		if err != nil {
			panic(err)
		}
		jobs[i] = job
	}
	_, _ = s.broker.Enqueue(s.ctx, jobs...) // a producer's loss is not looked at here
}

// pod is one worker, and what is between it and the engine.
type pod struct {
	gate *gate
	stop context.CancelFunc
	done chan struct{}
	deaf atomic.Int32 // handlers that may yet become deaf
}

// pod starts a worker of these kinds.
func (s *stage) pod(g *gate, kinds ...string) *pod {
	ctx, stop := context.WithCancel(s.ctx)
	p := &pod{gate: g, stop: stop, done: make(chan struct{})}
	w := worker.New(g, worker.Config{Concurrency: s.slots, Grace: 10 * time.Second, Logger: slog.New(slog.DiscardHandler)})
	for _, name := range kinds {
		worker.Handle(w, s.kind(name), func(ctx context.Context, job twice.Job[args]) error {
			if act := s.act.Load(); act != nil {
				return (*act)(context.WithValue(ctx, podKey{}, p), job)
			}
			return s.work(ctx, job)
		})
	}
	s.mu.Lock()
	s.all = append(s.all, p)
	s.mu.Unlock()
	s.wait.Go(func() {
		defer close(p.done)
		_ = w.Run(ctx)
	})
	return p
}

type podKey struct{}

// work is what a well handler does.
func (s *stage) work(ctx context.Context, job twice.Job[args]) error {
	t := time.NewTimer(time.Duration(job.Args.Ms) * time.Millisecond)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// from now on handlers do this.
func (s *stage) behave(act func(context.Context, twice.Job[args]) error) { s.act.Store(&act) }

// frozen is a handler that waits for what never comes. Deaf, it does not even end when its context does.
func (s *stage) frozen(ctx context.Context, deaf bool) error {
	if deaf {
		<-s.release
		return errors.New("too late")
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-s.release:
		return errors.New("too late")
	}
}

func (s *stage) eachPod(f func(*pod)) {
	s.mu.Lock()
	all := slices.Clone(s.all)
	s.mu.Unlock()
	for _, p := range all {
		f(p)
	}
}

// kill ends a worker with no word: nothing of it reaches the engine any more.
func (p *pod) kill() {
	p.gate.shut.Store(true)
	p.stop()
}
