package loadtest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

// Queues are those that a [Queue] uses: one that its workers serve, and one that they leave at rest.
const (
	Served = "bench-work"
	Rest   = "bench-rest"
)

var (
	served = twice.Define("bench.work", twice.Policy[Args]{Key: key, Queue: Served})
	rest   = twice.Define("bench.rest", twice.Policy[Args]{Key: key, Queue: Rest})
)

// key is 16 bytes of the id.
func key(a Args) string { return a.ID[len(a.ID)-16:] }

// Queue is Twice on an engine, used as an application would use it. It is a [Target], a [Bulker] and a [Colder],
// and must be the only one to use its queues.
type Queue struct {
	engine  queue.Engine
	pending atomic.Int64
}

// On makes a queue on engine. What is in the store already is counted as pending where the engine can tell.
func On(ctx context.Context, engine queue.Engine) (*Queue, error) {
	q := &Queue{engine: engine}
	look, ok := queue.As[queue.Inspector](engine)
	if !ok {
		return q, nil
	}
	depths, err := look.Depths(ctx, Served)
	for _, d := range depths {
		q.pending.Store(d.Queued + d.Running)
	}
	return q, err
}

// Enqueue implements [Target].
func (q *Queue) Enqueue(ctx context.Context, id int64) error {
	q.pending.Add(1) // before a worker can have settled it
	r, err := served.Enqueue(ctx, q.engine, MakeArgs(id))
	if err == nil {
		err = accepted(r)
	}
	if err != nil {
		q.pending.Add(-1)
	}
	return err
}

// EnqueueBulk implements [Bulker].
func (q *Queue) EnqueueBulk(ctx context.Context, ids []int64) error {
	q.pending.Add(int64(len(ids)))
	err := q.many(ctx, served, ids)
	if err != nil {
		q.pending.Add(-int64(len(ids)))
	}
	return err
}

// EnqueueCold implements [Colder].
func (q *Queue) EnqueueCold(ctx context.Context, ids []int64) error { return q.many(ctx, rest, ids) }

func (q *Queue) many(ctx context.Context, kind *twice.Kind[Args], ids []int64) (err error) {
	jobs := make([]queue.Job, len(ids))
	for i, id := range ids {
		if jobs[i], err = kind.Job(ctx, MakeArgs(id)); err != nil {
			return err
		}
	}
	receipts, err := q.engine.Enqueue(ctx, jobs...)
	if err != nil {
		return err
	}
	for _, r := range receipts {
		if err := accepted(r); err != nil {
			return err
		}
	}
	return nil
}

func accepted(r queue.Receipt) error {
	if r.Status != queue.Accepted {
		return errors.Join(r.Err, fmt.Errorf("job %s was %s", r.ID, r.Status))
	}
	return nil
}

// Pending implements [Target]: it counts what was enqueued less what the workers of [Queue.Work] were told is settled.
func (q *Queue) Pending(context.Context) (int64, error) { return q.pending.Load(), nil }

// Start implements [Target].
func (q *Queue) Start(ctx context.Context, workers int, ran func()) (func() error, error) {
	return q.Work(ctx, workers, func(context.Context, twice.Job[Args]) error {
		ran()
		return nil
	})
}

// Work is Start with a handler, which must not fail.
func (q *Queue) Work(ctx context.Context, workers int, handle func(context.Context, twice.Job[Args]) error) (func() error, error) {
	return q.run(ctx, served, workers, handle, func() { q.pending.Add(-1) })
}

// Finish works off what is at rest, so that nothing of a test waits for ever; done is told of each job.
func (q *Queue) Finish(ctx context.Context, workers int, done func()) (func() error, error) {
	return q.run(ctx, rest, workers, func(context.Context, twice.Job[Args]) error { return nil }, done)
}

func (q *Queue) run(ctx context.Context, kind *twice.Kind[Args], workers int, handle func(context.Context, twice.Job[Args]) error, done func()) (func() error, error) {
	w := worker.New(q.engine, worker.Config{
		Concurrency: workers, Logger: slog.New(slog.DiscardHandler),
		Observers: []worker.Observer{worker.ObserverFunc(func(_ context.Context, e worker.Event) {
			if e.What == worker.Settled && e.Outcome == queue.OutcomeDone {
				done()
			}
		})},
	})
	worker.Handle(w, kind, handle)
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	return func() error {
		cancel()
		return <-ended
	}, nil
}
