package worker_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/worker"
)

// What a worker announces of its attempts is what happened, and a handler's report travels with it.
func TestWorkerTellsOfItsAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		s.start(worker.Config{Concurrency: 3}, func(ctx context.Context, job twice.Job[args]) error {
			switch job.Args.N {
			case 0:
				twice.Progress(ctx, 4, 10)
				<-ctx.Done()
			case 1:
				time.Sleep(2 * time.Second)
				return twice.Bury(errors.New("order 17 is gone"))
			}
			time.Sleep(time.Second)
			return nil
		})
		ids := s.enqueue(plain, 0, 1, 2, 3)
		time.Sleep(11 * time.Second)
		all, err := s.engine.Workers(t.Context())
		if err != nil || len(all) != 1 || len(all[0].Running) != 1 || len(all[0].Recent) != 1 {
			t.Errorf("%+v, %v", all, err)
			s.stop()
			return
		}
		if p := all[0].Running[0]; p.Job != ids[0] || p.Queue != "default" || p.Done != 4 || p.Total != 10 || !p.Moved.Equal(p.Since) {
			t.Errorf("%+v", p)
		}
		r := all[0].Recent[0]
		if r.Queue != "default" || r.Kind != "test.plain" || r.Begun != 4 || r.Done != 2 || r.Buried != 1 || r.Dead != 1 || r.Run != 4*time.Second || r.P99 != time.Second || r.Measured != 2 {
			t.Errorf("%+v", r)
		}
		if len(r.Failures) != 1 || r.Failures[0].Signature != "order # is gone" || r.Failures[0].Top[0].Job != ids[1] || r.Failures[0].Top[0].N != 1 {
			t.Errorf("%+v", r.Failures)
		}
		if all[0].SaidAt.Sub(all[0].Started) != 10*time.Second {
			t.Errorf("said at %s, started at %s", all[0].SaidAt, all[0].Started)
		}
		s.stop()
	})
}
