package main

import (
	"context"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/twicehq/twice/internal/loadtest"
	"github.com/twicehq/twice/queue"
)

// lab is where benches are run: in temporary files, or in the one store that was named.
type lab struct {
	s     *session
	c     benchCmd
	dir   string       // of the temporary files; empty: a store was named
	named queue.Engine // nil: none
	about queue.Traits
	ids   atomic.Int64
}

// lab refuses a store that holds jobs, unless told otherwise.
func (c benchCmd) lab(ctx context.Context, s *session) (*lab, error) {
	l := &lab{s: s, c: c}
	l.ids.Store(time.Now().UnixMicro()) // 16 digits, and no bench of the past has given them
	if !s.namesEngine() {
		dir, err := os.MkdirTemp("", "twice-bench-")
		if err != nil {
			return nil, &queue.Error{Op: benchOp, Subject: "a temporary folder", Reason: queue.ErrUnavailable, Cause: err, Remedy: "set TMPDIR to a folder that may be written to"}
		}
		l.dir = dir
		s.closers = append(s.closers, func() error { return os.RemoveAll(dir) })
		return l, nil
	}
	engine, err := s.engineOrNew(ctx)
	if err != nil {
		return nil, err
	}
	l.named, l.about = engine, engine.Traits()
	if c.YesUseThisStore {
		return l, nil
	}
	const remedy = "leave --engine and TWICE_ENGINE out for a temporary file, name a store made for it, or add --yes-use-this-store"
	look, ok := queue.As[queue.Inspector](engine)
	if !ok {
		return nil, usage(benchOp, "nobody can tell whether there are jobs in this store", remedy)
	}
	depths, err := look.Depths(ctx)
	if err != nil {
		return nil, err
	}
	var jobs int64
	for _, d := range depths {
		jobs += d.Queued + d.Running + d.Done + d.Dead + d.Cancelled
	}
	if jobs > 0 {
		return nil, usagef(benchOp, remedy, "there are %s jobs in this store", count(jobs))
	}
	return l, nil
}

// namesEngine reports whether anybody has said which engine to use.
func (s *session) namesEngine() bool {
	return s.Env("TWICE_ENGINE") != "" || slices.ContainsFunc(s.Args, func(arg string) bool { return arg == "--engine" || strings.HasPrefix(arg, "--engine=") })
}

// scenario runs one scenario as often as asked; ran is told of each run.
func (l *lab) scenario(ctx context.Context, sc loadtest.Scenario, ran func()) (benchScenario, error) {
	var runs []loadtest.Values
	var probes []loadtest.Fsync
	var engine queue.Engine
	done := func() error { return nil }
	for range l.c.Runs {
		if engine == nil || !sc.Rest { // a store with jobs at rest is filled once
			err := done()
			if err != nil {
				return benchScenario{}, err
			}
			if engine, done, err = l.open(ctx); err != nil {
				return benchScenario{}, err
			}
			if sc.Rest {
				err = l.fill(ctx, engine)
			}
			if err != nil {
				return benchScenario{}, errors.Join(err, done())
			}
		}
		probe, file, err := l.probe(engine)
		var v loadtest.Values
		if err == nil {
			v, err = l.run(ctx, sc, engine)
		}
		if err != nil {
			return benchScenario{}, errors.Join(err, done())
		}
		if file {
			probes = append(probes, probe)
		}
		runs = append(runs, v)
		ran()
	}
	return viewScenario(sc, runs, probes), done()
}

// open gives the named engine, or one on a new file.
func (l *lab) open(ctx context.Context) (engine queue.Engine, done func() error, err error) {
	if l.named != nil {
		return l.named, func() error { return nil }, nil
	}
	dir, err := os.MkdirTemp(l.dir, "")
	if err != nil {
		return nil, nil, err
	}
	file := url.URL{Path: filepath.Join(dir, "twice.db")}
	if engine, err = l.s.Open(ctx, "sqlite:"+file.EscapedPath(), false); err != nil {
		return nil, nil, &unreachable{err}
	}
	l.about = engine.Traits()
	return engine, func() error { return errors.Join(engine.Close(), os.RemoveAll(dir)) }, nil
}

func (l *lab) env() loadtest.Env {
	return loadtest.Env{
		Workers: l.c.Workers, Length: l.c.Duration, Cap: 5 * l.c.Duration, Most: benchMost,
		Samples: min(benchSamples, max(20, int(l.c.Duration/(10*time.Millisecond)))), IDs: &l.ids, Log: io.Discard,
	}
}

func (l *lab) fill(ctx context.Context, engine queue.Engine) error {
	q, err := loadtest.On(ctx, engine)
	if err != nil {
		return err
	}
	return l.env().Chunks(ctx, l.c.Rest, q.EnqueueCold)
}

// run runs a scenario once, and leaves nothing waiting in a store that is used again.
func (l *lab) run(ctx context.Context, sc loadtest.Scenario, engine queue.Engine) (loadtest.Values, error) {
	q, err := loadtest.On(ctx, engine)
	if err != nil {
		return nil, err
	}
	e := l.env()
	if sc.Waiting {
		e.Backlog = l.c.Backlog
		if err := e.Chunks(ctx, e.Backlog, q.EnqueueBulk); err != nil {
			return nil, err
		}
	}
	v, err := sc.Run(ctx, e, q)
	if err != nil || l.named == nil && !sc.Rest {
		return v, err
	}
	return v, workOff(ctx, q)
}

// probe measures the disk below an engine that keeps a file.
func (l *lab) probe(engine queue.Engine) (p loadtest.Fsync, file bool, err error) {
	on, file := queue.As[interface {
		queue.Engine
		Path() string
	}](engine)
	if !file {
		return p, false, nil
	}
	p, err = loadtest.Probe(filepath.Dir(on.Path()), benchProbe)
	return p, true, err
}

// Working off what a bench has left ends in time, whatever the engine does.
const (
	workOffSlots = 1000
	workOffLimit = time.Minute
)

// workOff has workers end what waits.
func workOff(ctx context.Context, q *loadtest.Queue) error {
	if left, err := q.Pending(ctx); err != nil || left <= 0 {
		return err
	}
	stop, err := q.Start(ctx, workOffSlots, func() {})
	if err != nil {
		return err
	}
	for until := time.Now().Add(workOffLimit); ctx.Err() == nil && time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		if left, _ := q.Pending(ctx); left <= 0 {
			break
		}
	}
	return errors.Join(ctx.Err(), stop())
}

// close works a named store empty, also after an interrupt, and tells what stays in it all the same.
func (l *lab) close(ctx context.Context) ([]benchStays, error) {
	if l.named == nil {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*workOffLimit)
	defer cancel()
	q, err := loadtest.On(ctx, l.named)
	if err != nil {
		return nil, err
	}
	err = errors.Join(workOff(ctx, q), l.workOffRest(ctx, q))
	look, ok := queue.As[queue.Inspector](l.named)
	if !ok || err != nil {
		return nil, err
	}
	depths, err := look.Depths(ctx, loadtest.Served, loadtest.Rest)
	var stays []benchStays
	for _, d := range depths {
		if n := d.Queued + d.Running; n > 0 || d.Done > 0 {
			stays = append(stays, benchStays{d.Queue, n, d.Done})
		}
	}
	return stays, err
}

// workOffRest has workers end the jobs at rest: a queue that nobody else serves.
func (l *lab) workOffRest(ctx context.Context, q *loadtest.Queue) error {
	var left atomic.Int64
	look, ok := queue.As[queue.Inspector](l.named)
	if !ok {
		left.Store(int64(l.c.Rest))
	} else if depths, err := look.Depths(ctx, loadtest.Rest); err != nil {
		return err
	} else if len(depths) > 0 {
		left.Store(depths[0].Queued + depths[0].Running)
	}
	if left.Load() == 0 {
		return nil
	}
	stop, err := q.Finish(ctx, workOffSlots, func() { left.Add(-1) })
	if err != nil {
		return err
	}
	for until := time.Now().Add(workOffLimit); left.Load() > 0 && time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
	}
	return stop()
}
