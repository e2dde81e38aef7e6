package worker_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

// Three workers that are restarted, an engine that loses replies and goes down, handlers that fail,
// panic, snooze, hang and obey: every job ends, nothing is lost, no cap is passed, and some were started twice.
func TestEverythingAtOnce(t *testing.T) {
	const seed, jobs = 17, 400
	t.Logf("seed of the faults %d, %d jobs", seed, jobs)
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		random := rand.New(rand.NewPCG(seed, seed))
		f := &faulty{Engine: s.engine}
		kind := twice.Define("test.plain", twice.Policy[args]{Key: key, MaxFailures: 5, Timeout: 10 * time.Second, BackoffLimit: time.Minute})
		var started atomic.Int64
		handle := func(ctx context.Context, job twice.Job[args]) error {
			started.Add(1)
			time.Sleep(time.Duration(rand.IntN(3000)) * time.Millisecond)
			switch rand.IntN(12) {
			case 0:
				return errors.New("no")
			case 1:
				panic("no")
			case 2:
				return twice.Snooze(time.Second)
			case 3:
				<-ctx.Done()
				return ctx.Err()
			case 4:
				if job.Args.N%10 == 0 {
					return twice.Bury(errors.New("never"))
				}
			case 5:
				time.Sleep(17 * time.Second) // deaf for a while
			}
			return nil
		}
		type run struct {
			cancel context.CancelFunc
			ended  chan error
		}
		start := func() run {
			w := s.worker(f, worker.Config{Concurrency: 20, Lease: 6 * time.Second, Grace: 2 * time.Second, Margin: time.Second})
			worker.Handle(w, kind, handle)
			ctx, cancel := context.WithCancel(t.Context())
			r := run{cancel, make(chan error, 1)}
			go func() { r.ended <- w.Run(ctx) }()
			return r
		}
		end := func(r run) {
			r.cancel()
			if err := <-r.ended; err != nil && !errors.Is(err, worker.ErrDeaf) {
				t.Error(err)
			}
		}
		runs := []run{start(), start(), start()}
		for n := range jobs {
			s.enqueue(kind, n)
		}
		for range 60 {
			time.Sleep(time.Duration(random.IntN(4000)) * time.Millisecond)
			switch i := random.IntN(len(runs)); random.IntN(3) {
			case 0:
				f.lose.Add(int32(random.IntN(4)))
			case 1:
				f.down.Store(true)
				time.Sleep(time.Duration(random.IntN(8000)) * time.Millisecond)
				f.down.Store(false)
			case 2:
				end(runs[i])
				runs[i] = start()
			}
		}
		f.lose.Store(0)
		time.Sleep(2 * time.Hour)
		for _, r := range runs {
			end(r)
		}
		time.Sleep(time.Minute) // deaf ones go
		books, err := s.engine.Audit(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		b := books[0]
		if b.Accepted != jobs || b.Missing() != 0 || b.Found.Done+b.Found.Dead != jobs {
			t.Errorf("%+v, missing %d", b, b.Missing())
		}
		page, err := s.engine.List(t.Context(), queue.Query{Limit: queue.MaxPage})
		if err != nil {
			t.Fatal(err)
		}
		for _, rec := range page.Records {
			// Crashes may pass their cap: the lease by which the job was to be buried, unrun, may be lost, too.
			if c := rec.Counts; c.Failures > 5 || c.Interruptions > 100 || (c.Crashes >= 3 && rec.State != queue.Dead) {
				t.Errorf("%s %q past a cap: %+v", rec.State, rec.Reason, c)
			}
		}
		if n := started.Load(); n <= jobs {
			t.Errorf("%d starts of %d jobs: nothing was started twice, so nothing was shown", n, jobs)
		} else {
			t.Logf("%d starts, %d done, %d dead, %d leases lost", n, b.Found.Done, b.Found.Dead, s.count(worker.LeaseLost))
		}
	})
}
