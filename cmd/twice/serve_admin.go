package main

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/twicehq/twice/cron"
	"github.com/twicehq/twice/dashboard"
	"github.com/twicehq/twice/diagnose"
	"github.com/twicehq/twice/examples/orders"
	"github.com/twicehq/twice/httpapi"
	"github.com/twicehq/twice/metrics"
	"github.com/twicehq/twice/metrics/prom"
	"github.com/twicehq/twice/proof/monitor"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/tracing"
	"github.com/twicehq/twice/worker"
)

// ops is what a process tells of itself, whatever its roles are: what it counts and traces, and in the role admin the
// server that shows it.
type ops struct {
	log     *slog.Logger
	counted *metrics.Metrics
	traced  *tracing.Tracing
	kept    *monitor.Monitor // looks whether what must hold does
	judged  *diagnose.Watch  // nil before the role admin has begun
	at      string           // where that listens; empty: it does not
}

func newOps(log *slog.Logger, engine queue.Engine) *ops {
	o := &ops{log: log, counted: metrics.New(metrics.Config{Engine: engine}), traced: tracing.New(tracing.Config{})}
	o.kept = monitor.New(monitor.Config{Broken: o.broken})
	return o
}

// enqueuer counts and traces what q is given.
func (o *ops) enqueuer(q queue.Enqueuer) queue.Enqueuer {
	return o.counted.Enqueuer(o.traced.Enqueuer(q))
}

// observe lets a worker be counted and traced.
func (o *ops) observe(w *worker.Config) {
	w.Observers = append(w.Observers, o.counted, o.kept)
	w.Wraps = append(w.Wraps, o.traced.Wrap)
}

// fired counts what the scheduler could not make in time.
func (o *ops) fired(ctx context.Context, e cron.Event) {
	o.counted.ScheduleMissed(e.Skipped)
	o.kept.Schedules().Observe(ctx, e)
}

// broken counts and logs that something did not hold which must.
func (o *ops) broken(f monitor.Finding) {
	o.counted.InvariantBroken(metrics.Invariant(f.Invariant))
	o.log.Error("an invariant is broken: keep the store and the log, and report it", "finding", f.String())
}

// admin listens, and gives what serves there: it is to run beside the other roles.
func (o *ops) admin(s *session, addr string, base orders.Base, app *orders.App) (func(context.Context, *worker.Worker) error, error) {
	tokens, charts, err := tokensWith(s.Env("TWICE_TOKENS"))
	if err != nil {
		return nil, err
	}
	l, err := httpapi.Listen(addr, tokens)
	if err != nil {
		return nil, err
	}
	o.at = l.Addr().String()
	return func(ctx context.Context, w *worker.Worker) error {
		o.judged = diagnose.NewWatch(base.Engine, diagnose.Config{})
		api, err := httpapi.New(o.counted.Engine(o.traced.Engine(base.Engine)), httpapi.Config{
			Ledger: base.Ledger, Tokens: tokens, Logger: o.log, Findings: o.findings, Live: living(w), Ready: living(w),
			Kinds: []httpapi.Kind{httpapi.KindOf(app.Kinds.Charge), httpapi.KindOf(app.Kinds.Receipt), httpapi.KindOf(app.Kinds.Reconcile)},
		})
		if err != nil {
			return errors.Join(err, l.Close())
		}
		if w != nil {
			defer o.counted.Watch(w)()
		}
		o.counted.JudgeBy(o.judgements)
		go o.judged.Run(ctx)
		board, err := dashboard.New(api, dashboard.Config{Logger: o.log, Token: charts})
		if err != nil {
			return errors.Join(err, l.Close())
		}
		defer func() { _ = board.Close() }()
		return o.serve(ctx, l, api, board)
	}, nil
}

// tokensWith reads tokens, and where there are any adds one of a viewer that this process alone knows: with it the
// dashboard takes the numbers of its charts while nobody looks.
func tokensWith(text string) (tokens httpapi.Tokens, charts string, err error) {
	tokens, err = httpapi.ParseTokens(text)
	if err != nil || !tokens.Any() {
		return tokens, "", err
	}
	charts = rand.Text()
	tokens, err = httpapi.ParseTokens(text + ",viewer:dashboard=" + charts)
	return tokens, charts, err
}

// serve answers until ctx ends, then those requests that are under way.
func (o *ops) serve(ctx context.Context, l net.Listener, api *httpapi.Server, board http.Handler) error {
	mux := http.NewServeMux()
	mux.Handle("/", board)
	for _, path := range []string{"/api/", "/livez", "/readyz"} {
		mux.Handle(path, api)
	}
	mux.Handle("GET /metrics", prom.Handler(o.counted))
	web := httpapi.HTTP(mux, 10*time.Second, o.log)
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(l) }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if web.Shutdown(last) != nil {
		_ = web.Close()
	}
	return errors.Join(err, api.Close(last))
}

// living says whether the worker's claim loop moves; where there is none, there is nothing that could stand still.
func living(w *worker.Worker) func(context.Context) error {
	return func(context.Context) error {
		if w != nil && w.Health().Stalled {
			return errors.New("the worker's claim loop does not move")
		}
		return nil
	}
}

func (o *ops) findings(context.Context) ([]diagnose.Finding, error) { return o.judged.Findings(), nil }

// judgements gives the verdicts as metrics have them.
func (o *ops) judgements(context.Context) ([]metrics.Judgement, error) {
	var all []metrics.Judgement
	for _, f := range o.judged.Findings() {
		j := metrics.Judgement{Queue: f.Queue, Verdict: string(f.Verdict), SlotsNeeded: -1}
		if f.Capacity != nil {
			j.SlotsNeeded = f.Capacity.Needed
		}
		all = append(all, j)
	}
	return all, nil
}
