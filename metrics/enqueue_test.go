package metrics_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twicehq/twice/cron"
	"github.com/twicehq/twice/metrics"
	"github.com/twicehq/twice/queue"
)

// What cron entries enqueue is counted, and every ability is found through the wrapper.
func TestEngine_cron(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Hour)
		m := metrics.New(metrics.Config{})
		engine := m.Engine(newEngine(t))
		for name, ok := range map[string]bool{"inspector": has[queue.Inspector](engine), "exchanger": has[queue.Exchanger](engine), "presence": has[queue.Presence](engine), "schedules": has[queue.Schedules](engine)} {
			if !ok {
				t.Errorf("%s is not found", name)
			}
		}
		if has[queue.Schedules](m.Engine(plain{newEngine(t)})) {
			t.Error("an ability that the engine does not have is found")
		}
		s := cron.New(engine, cron.Config{Logger: slog.New(slog.DiscardHandler), Observers: []cron.Observer{cron.ObserverFunc(func(_ context.Context, e cron.Event) {
			m.ScheduleMissed(e.Skipped)
		})}})
		s.Add(cron.Of("hourly", "@every 1h", "", kind, func(time.Time) args { return args{1} }))
		ctx, cancel := context.WithTimeout(t.Context(), 130*time.Minute)
		defer cancel()
		if err := s.Run(ctx); err != nil {
			t.Fatal(err)
		}
		want(t, text(m.Read(t.Context()), "twice_enqueued_total"), "enqueued_total[q test.count accepted] 2")
	})
}

// plain hides every ability but the engine's own methods.
type plain struct{ queue.Engine }

func has[C any](e queue.Engine) bool {
	_, ok := queue.As[C](e)
	return ok
}

// Where nothing is known of a batch, so it is counted.
func TestEnqueuer_error(t *testing.T) {
	engine := newEngine(t)
	m := metrics.New(metrics.Config{})
	q := m.Enqueuer(engine)
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := kind.Enqueue(t.Context(), q, args{1}); !errors.Is(err, queue.ErrClosed) {
		t.Fatal(err)
	}
	want(t, text(m.Read(t.Context()), "twice_enqueued_total"), "enqueued_total[q test.count error] 1")
}
