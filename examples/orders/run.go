package orders

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/twicehq/twice/cron"
	"github.com/twicehq/twice/examples/orders/api"
	"github.com/twicehq/twice/outbox"
	"github.com/twicehq/twice/worker"
)

// Roles says what a process runs of the application; what is zero it leaves out.
type Roles struct {
	API  net.Listener // serve the API there
	Live net.Listener // answer /livez there with the worker's numbers: for a process without the API
	// Beside runs beside the others, until all of them have ended in order. It is given the worker, nil where there is none.
	Beside   func(ctx context.Context, w *worker.Worker) error
	Worker   *worker.Config // run the jobs
	Schedule bool           // fire the schedule; any number of processes may
}

// Run runs the roles, and where jobs wait in an outbox its relay, until ctx ends, then ends each in order: requests under way are answered, jobs have
// their grace. Where one fails, the others are ended, and its error is returned. It closes the listeners.
func (a *App) Run(ctx context.Context, roles Roles) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	watched, unwatched := context.WithCancel(context.WithoutCancel(ctx)) // a process that drains is alive
	defer unwatched()
	var parts, watch sync.WaitGroup
	var mu sync.Mutex
	var failed []error
	run := func(ctx context.Context, group *sync.WaitGroup, what string, part func(context.Context) error) {
		group.Go(func() {
			if err := part(ctx); err != nil {
				mu.Lock()
				failed = append(failed, fmt.Errorf("%s: %w", what, err))
				mu.Unlock()
				stop()
			}
		})
	}
	live := func(context.Context) error { return nil }
	var w *worker.Worker
	if roles.Worker != nil {
		w = a.Worker(*roles.Worker)
		live = func(context.Context) error {
			if h := w.Health(); h.Stalled {
				return errors.New("the worker's claim loop does not move")
			}
			return nil
		}
		run(ctx, &parts, "worker", w.Run)
	}
	if a.base.Box != nil {
		run(ctx, &parts, "relay", outbox.NewRelay(a.base.Box, a.base.Engine, outbox.Config{Logger: a.cfg.Logger}).Run)
	}
	if roles.Schedule {
		run(ctx, &parts, "scheduler", a.Scheduler().Run)
	}
	if roles.API != nil {
		run(ctx, &parts, "api", func(ctx context.Context) error { return serve(ctx, roles.API, a.Handler(live)) })
	}
	if roles.Live != nil {
		run(watched, &watch, "livez", func(ctx context.Context) error { return serve(ctx, roles.Live, livez(w)) })
	}
	if roles.Beside != nil {
		run(watched, &watch, "beside", func(ctx context.Context) error { return roles.Beside(ctx, w) })
	}
	if roles.Worker == nil && !roles.Schedule && roles.API == nil && a.base.Box == nil {
		<-ctx.Done() // nothing else is there to wait for
	}
	parts.Wait()
	unwatched()
	watch.Wait()
	return errors.Join(failed...)
}

// Worker gives a worker that handles all kinds of the application. It logs where the application logs,
// unless cfg says otherwise.
func (a *App) Worker(cfg worker.Config) *worker.Worker {
	if cfg.Logger == nil {
		cfg.Logger = a.cfg.Logger
	}
	if a.base.Box != nil {
		cfg.Ledger = a.base.Ledger // the engine does not see it: a worker seals it before a job is dead
	}
	w := worker.New(a.base.Engine, cfg)
	a.Processors.Handle(w)
	return w
}

// Scheduler gives a scheduler with the application's entries.
func (a *App) Scheduler() *cron.Scheduler {
	cfg := cron.Config{Logger: a.cfg.Logger, Now: a.cfg.Now}
	if a.cfg.Scheduling != nil {
		cfg.Observers = append(cfg.Observers, a.cfg.Scheduling)
	}
	s := cron.New(a.base.Engine, cfg)
	s.Add(a.Kinds.Schedule(a.cfg.ReconcileEvery))
	return s
}

// Handler gives the API. live says whether the process is worth keeping.
func (a *App) Handler(live func(context.Context) error) http.Handler {
	return api.New(api.Config{Orders: a.Orders, Live: live, Logger: a.cfg.Logger})
}

// answerWithin is how long requests under way have once the API is to end.
const answerWithin = 10 * time.Second

// serve serves until ctx ends, then answers what is under way.
func serve(ctx context.Context, l net.Listener, h http.Handler) error {
	server := &http.Server{
		Handler: h, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerWithin)
	defer cancel()
	if err := server.Shutdown(last); err != nil {
		return errors.Join(err, server.Close())
	}
	return nil
}
