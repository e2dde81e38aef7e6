package history

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

type args struct {
	N int `json:"n"`
}

var kind = twice.Define("history.work", twice.Policy[args]{Key: func(a args) string { return fmt.Sprint(a.N) }, Queue: "q", MaxFailures: 3,
	BackoffBase: time.Millisecond, BackoffLimit: 4 * time.Millisecond})

// What real workers ask of each engine, with replies lost, keeps every rule, and so does what their handlers enqueue.
func TestWorkersHistories(t *testing.T) {
	for _, engine := range engines[:4] {
		t.Run(engine.name, func(t *testing.T) {
			rec := NewRecorder(nil)
			handles := engine.open(t)
			ctx, stop := context.WithCancel(t.Context())
			var all sync.WaitGroup
			for n := range 2 {
				w := worker.New(rec.Engine(loseReplies(handles[n%len(handles)], 15), fmt.Sprint("worker ", n)),
					worker.Config{Concurrency: 4, Lease: 200 * time.Millisecond, Logger: quietLog})
				worker.Handle(w, kind, func(_ context.Context, job twice.Job[args]) error {
					switch {
					case job.Args.N%5 == 0 && job.Attempt() < 3, job.Args.N%17 == 0:
						return errors.New("no")
					case job.Args.N%11 == 0:
						return twice.Bury(errors.New("never"))
					}
					return nil
				})
				all.Go(func() {
					if err := w.Run(ctx); err != nil {
						t.Error(err)
					}
				})
			}
			e := rec.Engine(handles[0], "producer")
			var ids []queue.ID
			for n := range 60 {
				receipt, err := kind.Enqueue(t.Context(), e, args{n})
				if err != nil {
					t.Fatal(err)
				}
				ids = append(ids, receipt.ID)
			}
			await(t, "all jobs end", func() bool {
				for _, id := range ids {
					inspector, _ := queue.As[queue.Inspector](e)
					if r, err := inspector.Job(t.Context(), id); err != nil || !r.State.Ended() {
						return false
					}
				}
				return true
			})
			stop()
			all.Wait()
			if err := rec.Look(t.Context(), e, ids...); err != nil {
				t.Fatal(err)
			}
			ops := rec.Ops()
			report := Check(ops, Config{})
			for _, b := range report.Breaches {
				t.Error(b)
			}
			_, ok := linearizable(t, ops)
			if !ok || len(report.Undecided) > 0 || report.Ops < 180 {
				t.Errorf("linearizable: %v; undecided %v; %d operations", ok, report.Undecided, report.Ops)
			}
			figures.add(fmt.Sprintf("%-40s %5d operations on %d jobs of two workers, %4d of unknown outcome: 0 breaches; linearizable", engine.name, report.Ops, report.Jobs, report.Unknown))
		})
	}
}

func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !is(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it did not come about: %s", what)
		}
	}
}
