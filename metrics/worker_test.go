package metrics_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/metrics"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

// A real worker on a real engine: what is counted is what happened.
func TestWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Hour) // away from the first instant that engines take seriously
		inner := newEngine(t)
		m := metrics.New(metrics.Config{Engine: inner})
		engine := m.Engine(inner)
		quiet := slog.New(slog.DiscardHandler)
		w := worker.New(engine, worker.Config{Concurrency: 4, Observers: []worker.Observer{m}, Logger: quiet})
		forget := m.Watch(w)
		worker.Handle(w, kind, func(ctx context.Context, job twice.Job[args]) error {
			switch job.Args.N {
			case 2: // fails twice, and is dead
				return errors.New("no")
			case 3: // runs until a person cancels it
				<-ctx.Done()
				return context.Cause(ctx)
			case 4:
				time.Sleep(time.Millisecond)
				return queue.ErrInDoubt
			}
			time.Sleep(200 * time.Millisecond)
			return nil
		})
		want(t, text(m.Read(t.Context()), "twice_worker_slots", "twice_worker_poll_age_seconds"), "worker_slots[busy] 0 worker_slots[deaf] 0 worker_slots[free] 0")
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- w.Run(ctx) }()
		synctest.Wait()
		want(t, text(m.Read(t.Context()), "twice_worker_slots"), "worker_slots[busy] 0 worker_slots[deaf] 0 worker_slots[free] 4")

		ada := queue.Actor{Name: "ada", Why: "test"}
		if err := inner.Pause(t.Context(), ada, "q"); err != nil {
			t.Fatal(err)
		}
		var id queue.ID
		for _, n := range []int{1, 1, 2, 3, 4} {
			receipt, err := kind.Enqueue(t.Context(), engine, args{n}, twice.From(time.Now().Add(-3*time.Second)))
			if err != nil {
				t.Fatal(err)
			}
			if n == 3 {
				id = receipt.ID
			}
		}
		if _, err := kind.Enqueue(t.Context(), engine, args{9}, twice.Priority(99)); !errors.Is(err, queue.ErrInvalid) {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Second)
		if err := inner.Resume(t.Context(), ada, "q"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		want(t, text(m.Read(t.Context()), "twice_worker_slots"), "worker_slots[busy] 1 worker_slots[deaf] 0 worker_slots[free] 3")
		if errs, err := inner.Cancel(t.Context(), queue.Actor{Name: "p", Why: "test"}, queue.Cut{ID: id}); err != nil || errs[0] != nil {
			t.Fatal(err, errs)
		}
		time.Sleep(2 * time.Minute)
		families := m.Read(t.Context())
		want(t, text(families, "twice_enqueued_total", "twice_jobs_ended_total", "twice_leases_lost_total", "twice_in_doubt"), `
			enqueued_total[q test.count accepted] 4 enqueued_total[q test.count duplicate] 1 enqueued_total[q test.count refused] 1
			jobs_ended_total[q test.count buried] 1 jobs_ended_total[q test.count cancelled] 1 jobs_ended_total[q test.count done] 1
			jobs_ended_total[q test.count failed] 2
			leases_lost_total[] 0 in_doubt[] 1`)
		run := metrics.Find(families, "twice_job_run_seconds").Points[0]
		if run.Value != 5 || run.Sum < 10.2 || run.Sum > 25 {
			t.Errorf("runs %+v", run)
		}
		if wait := metrics.Find(families, "twice_job_wait_seconds").Points[0]; wait.Value != 4 || wait.Sum < 12 || wait.Sum > 12.1 {
			t.Errorf("waits %+v", wait) // of first runs only
		}
		age := metrics.Find(families, "twice_worker_poll_age_seconds").Points
		if len(age) != 1 || age[0].Value > 10 {
			t.Errorf("poll age %+v", age)
		}

		cancel()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		want(t, text(m.Read(t.Context()), "twice_worker_slots", "twice_worker_poll_age_seconds"), "worker_slots[busy] 0 worker_slots[deaf] 0 worker_slots[free] 0")
		forget()
		want(t, text(m.Read(t.Context()), "twice_worker_slots"), "")
	})
}

// A lease that another claim took is counted as lost; one that a person took away is not.
func TestObserve_leases_lost(t *testing.T) {
	m := metrics.New(metrics.Config{})
	for _, o := range []queue.Outcome{0, queue.OutcomeCancelled, 0} {
		m.Observe(t.Context(), event(worker.LeaseLost, "q", "k", o))
	}
	for _, e := range []worker.Event{{What: worker.LeaseLost}, {What: worker.Settled}, {What: 99}, {What: worker.Pruned, N: 7}, {What: worker.Pruned, N: -7}, event(worker.Settled, "q", "k", 200)} {
		m.Observe(t.Context(), e)
	}
	m.ScheduleMissed(3)
	m.OrphansRepaired(-1)
	want(t, text(m.Read(t.Context()), "twice_leases_lost_total", "twice_jobs_ended_total", "twice_pruned_total", "twice_schedule_missed_total", "twice_orphans_repaired_total"),
		"leases_lost_total[] 2 jobs_ended_total[q k cancelled] 1 pruned_total[] 7 schedule_missed_total[] 3 orphans_repaired_total[] 0")
}
