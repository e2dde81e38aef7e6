package monitor_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/proof/monitor"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

type args struct {
	N int `json:"n"`
}

var kind = twice.Define("test.watch", twice.Policy[args]{Key: func(a args) string { return fmt.Sprint(a.N) }, Queue: "q", MaxFailures: 3})

// thief is an engine whose books are wrong, or that changes what ended.
type thief struct {
	*memory.Engine
	books, depths int64
	revive        bool
}

func (e *thief) Audit(ctx context.Context) ([]queue.Books, error) {
	books, err := e.Engine.Audit(ctx)
	for i := range books {
		books[i].Accepted += e.books
	}
	return books, err
}

func (e *thief) Depths(ctx context.Context, queues ...string) ([]queue.Depth, error) {
	depths, err := e.Engine.Depths(ctx, queues...)
	for i := range depths {
		depths[i].Accepted += e.depths
	}
	return depths, err
}

func (e *thief) Job(ctx context.Context, id queue.ID) (queue.Record, error) {
	r, err := e.Engine.Job(ctx, id)
	if e.revive && r.State == queue.Done {
		r.State = queue.Queued
	}
	return r, err
}

// Workers that fail, freeze and run beside each other break nothing: all counters stay 0, and the audit finds the sum. The
// same with an engine that steals, or revives what is done, is found.
func TestWatchedWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Hour) // away from the first instant that engines take seriously
		inner, err := memory.New(memory.Config{})
		if err != nil {
			t.Fatal(err)
		}
		e := &thief{Engine: inner}
		m := monitor.New(monitor.Config{})
		store := m.Ledger(inner.Ledger())
		var runs, frozen atomic.Int64
		ctx, stop := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for range 3 {
			w := worker.New(e, worker.Config{Concurrency: 4, Lease: time.Second, Ledger: store, Observers: []worker.Observer{m}, Logger: slog.New(slog.DiscardHandler)})
			worker.Handle(w, kind, func(ctx context.Context, job twice.Job[args]) error {
				n := runs.Add(1)
				if job.Args.N%7 == 0 && n%2 == 0 {
					frozen.Add(1)
					time.Sleep(20 * time.Millisecond)
				}
				_, err := ledger.Once(ctx, store, ledger.Effect[string]{Step: "charge", Do: func(_ context.Context, key string) (string, error) {
					m.Made(ledger.Key{Job: job.ID(), Step: "charge"})
					return key, nil
				}})
				if err == nil && (job.Args.N%3 == 0 && job.Attempt() == 1 || job.Args.N%10 == 9) {
					err = errors.New("no")
				}
				return err
			})
			all.Go(func() {
				if err := w.Run(ctx); err != nil {
					t.Error(err)
				}
			})
		}
		for n := range 60 {
			if _, err := kind.Enqueue(ctx, e, args{n}); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(5 * time.Minute)
		report, err := m.Audit(ctx, e)
		if err != nil || len(report.Found) > 0 || report.Looked < 50 || len(report.Books) == 0 || len(report.Depths) == 0 {
			t.Errorf("%v: %+v", err, report)
		}
		for name, n := range m.Broken() {
			if n != 0 {
				t.Errorf("%s: %d: %v", name, n, m.Findings())
			}
		}
		if runs.Load() < 80 || frozen.Load() == 0 {
			t.Errorf("too little happened: %d runs, %d frozen", runs.Load(), frozen.Load())
		}

		e.books, e.depths, e.revive = 1, 2, true
		if _, err := m.Audit(ctx, e); err != nil {
			t.Fatal(err)
		}
		if got := m.Broken(); got[monitor.Counts] != 1 || got[monitor.Audit] < 2 || got[monitor.Fence] != 0 {
			t.Errorf("%v: %v", got, m.Findings())
		}
		stop()
		all.Wait()
	})
}

// plain has no books.
type plain struct{ queue.Engine }

func TestAuditNeedsBooks(t *testing.T) {
	inner, _ := memory.New(memory.Config{})
	m := monitor.New(monitor.Config{})
	if _, err := m.Audit(t.Context(), plain{inner}); !errors.Is(err, queue.ErrUnsupported) {
		t.Error(err)
	}
	_ = inner.Close()
	if _, err := m.Audit(t.Context(), inner); !errors.Is(err, queue.ErrClosed) || len(m.Findings()) > 0 {
		t.Error(err, m.Findings())
	}
}
