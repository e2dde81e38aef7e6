package worker_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

type benchArgs struct {
	N int `json:"n"`
}

var benchKind = twice.Define("bench.noop", twice.Policy[benchArgs]{Key: func(a benchArgs) string { return fmt.Sprint(a.N) }})

// instant is an engine that does nothing but count, in the time that a trip takes: what remains is the
// worker's own cost.
type instant struct {
	job   queue.Job
	left  atomic.Int64 // to be claimed
	unset atomic.Int64 // to be settled
	done  chan struct{}
	trip  time.Duration
}

func (e *instant) Claim(ctx context.Context, req queue.Claim) ([]queue.Lease, error) {
	time.Sleep(e.trip)
	if leases := e.claim(req); len(leases) > 0 || req.Wait == 0 {
		return leases, nil
	}
	select {
	case <-ctx.Done():
	case <-time.After(req.Wait):
	}
	return nil, nil
}

func (e *instant) claim(req queue.Claim) []queue.Lease {
	n := int64(req.Max)
	if after := e.left.Add(-n); after < 0 {
		n = max(0, n+after)
	}
	leases := make([]queue.Lease, n)
	now := time.Now()
	for i := range leases {
		leases[i] = queue.Lease{Job: e.job, ID: queue.LeaseID{1}, Token: 1, ClaimedAt: now}
	}
	return leases
}

func (e *instant) Settle(_ context.Context, ends ...queue.Settlement) ([]error, error) {
	time.Sleep(e.trip)
	return e.settle(ends), nil
}

func (e *instant) settle(ends []queue.Settlement) []error {
	if e.unset.Add(-int64(len(ends))) == 0 {
		close(e.done)
	}
	return make([]error, len(ends))
}

func (e *instant) Extend(_ context.Context, _ time.Duration, leases ...queue.Lease) ([]error, error) {
	return make([]error, len(leases)), nil
}
func (e *instant) Enqueue(context.Context, ...queue.Job) ([]queue.Receipt, error) { return nil, nil }
func (e *instant) Traits() queue.Traits                                           { return queue.Traits{Name: "instant", MaxBatch: 10_000} }
func (e *instant) Ping(context.Context) error                                     { return nil }
func (e *instant) Close() error                                                   { return nil }

// exchanger adds settling and claiming in one trip.
type exchanger struct{ *instant }

func (e exchanger) Exchange(_ context.Context, ends []queue.Settlement, req queue.Claim) ([]error, []queue.Lease, error) {
	time.Sleep(e.trip)
	return e.settle(ends), e.claim(req), nil
}

// A no-op handler on an engine whose trips take no time, and on one that takes a millisecond for each.
func BenchmarkWorker(b *testing.B) {
	for _, trip := range []time.Duration{0, time.Millisecond} {
		for _, slots := range []int{10, 100, 1000} {
			b.Run(fmt.Sprintf("trip=%s/settle/slots=%d", trip, slots), func(b *testing.B) {
				e := newInstant(b, trip)
				benchRun(b, e, slots, e.done)
			})
			b.Run(fmt.Sprintf("trip=%s/exchange/slots=%d", trip, slots), func(b *testing.B) {
				e := newInstant(b, trip)
				benchRun(b, exchanger{e}, slots, e.done)
			})
		}
	}
}

func newInstant(b *testing.B, trip time.Duration) *instant {
	job, err := benchKind.Job(b.Context(), benchArgs{17})
	if err != nil {
		b.Fatal(err)
	}
	e := &instant{job: job, done: make(chan struct{}), trip: trip}
	e.left.Store(int64(b.N))
	e.unset.Store(int64(b.N))
	return e
}

func benchRun(b *testing.B, engine queue.Engine, slots int, done <-chan struct{}) {
	w := worker.New(engine, worker.Config{Concurrency: slots, Logger: slog.New(slog.DiscardHandler)})
	worker.Handle(w, benchKind, func(context.Context, twice.Job[benchArgs]) error { return nil })
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	b.ReportAllocs()
	b.ResetTimer()
	go func() { ended <- w.Run(ctx) }()
	<-done
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
	cancel()
	if err := <-ended; err != nil {
		b.Fatal(err)
	}
}

// With the memory engine: enqueued beforehand, then drained.
func BenchmarkWorkerMemory(b *testing.B) {
	engine, err := memory.New(memory.Config{})
	if err != nil {
		b.Fatal(err)
	}
	jobs := make([]queue.Job, 0, 1000)
	for n := range b.N {
		job, err := benchKind.Job(b.Context(), benchArgs{n})
		if err != nil {
			b.Fatal(err)
		}
		if jobs = append(jobs, job); len(jobs) == cap(jobs) || n == b.N-1 {
			if _, err := engine.Enqueue(b.Context(), jobs...); err != nil {
				b.Fatal(err)
			}
			jobs = jobs[:0]
		}
	}
	done := make(chan struct{})
	var left atomic.Int64
	left.Store(int64(b.N))
	counted := settledCounter{Engine: engine, left: &left, done: done}
	benchRun(b, counted, 1000, done)
}

// settledCounter tells when the last job was settled.
type settledCounter struct {
	*memory.Engine
	left *atomic.Int64
	done chan struct{}
}

func (s settledCounter) count(n int) {
	if n > 0 && s.left.Add(-int64(n)) == 0 {
		close(s.done)
	}
}

func (s settledCounter) Settle(ctx context.Context, ends ...queue.Settlement) ([]error, error) {
	defer s.count(len(ends))
	return s.Engine.Settle(ctx, ends...)
}

func (s settledCounter) Exchange(ctx context.Context, ends []queue.Settlement, req queue.Claim) ([]error, []queue.Lease, error) {
	defer s.count(len(ends))
	return s.Engine.Exchange(ctx, ends, req)
}
