package tracing_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/codes"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/tracing"
	"github.com/twicehq/twice/worker"
)

// Where the enqueuer is not one of Tracing's, a handler's follow-ups still carry the attempt's span; with no SDK they
// carry what the job came with.
func TestWrap_alone(t *testing.T) {
	for _, sdk := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			tr, spans, _ := recorded(false)
			if !sdk {
				tr = tracing.New(tracing.Config{})
			}
			engine := newEngine(t)
			if _, err := charge.Enqueue(twice.WithTraceparent(t.Context(), incoming), engine, args{1}); err != nil {
				t.Fatal(err)
			}
			work(t, engine, tr, func(w *worker.Worker) {
				worker.Handle(w, charge, func(ctx context.Context, _ twice.Job[args]) error {
					_, err := receipt.Enqueue(ctx, engine, args{1}, twice.In(time.Hour))
					return err
				})
			}, time.Second)
			want := incoming
			if sdk {
				span := named(spans, "process money")[0].SpanContext()
				want = fmt.Sprintf("00-%s-%s-01", span.TraceID(), span.SpanID())
			}
			if got := headerOf(t, engine, "test.receipt", "1")[queue.HeaderTrace]; got != want {
				t.Errorf("sdk %v: %s, want %s", sdk, got, want)
			}
		})
	}
}

// How a run ended is on its span, in a word and a scrubbed text; a panic is passed on as it came.
func TestWrap_outcomes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr, spans, _ := recorded(false)
		engine := newEngine(t)
		answers := []struct {
			do      func(ctx context.Context) error
			outcome string
			says    string
		}{
			{func(context.Context) error { return nil }, "done", ""},
			{func(context.Context) error { return twice.Snooze(100 * time.Hour) }, "snoozed", ""},
			{func(context.Context) error {
				return twice.Bury(errors.New("token=hunter2\n" + strings.Repeat("x ", 1<<12)))
			}, "buried", "token=*** x"},
			{func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, "timed_out", "deadline"},
			{func(context.Context) error { panic("hunter2") }, "panicked", "panicked"},
			{func(context.Context) error { return fmt.Errorf("x: %w", queue.ErrInDoubt) }, "buried", "in doubt"},
		}
		for n := range answers {
			if _, err := charge.Enqueue(t.Context(), engine, args{n}); err != nil {
				t.Fatal(err)
			}
		}
		work(t, engine, tr, func(w *worker.Worker) {
			worker.Handle(w, charge, func(ctx context.Context, job twice.Job[args]) error { return answers[job.Args.N].do(ctx) })
		}, 10*time.Minute)
		seen := map[string]bool{}
		for _, s := range named(spans, "process money") {
			for n, a := range answers {
				if attr(s, "messaging.message.id") != queue.NewID("test.charge", fmt.Sprint(n)).String() {
					continue
				}
				text := s.Status().Description
				if attr(s, "twice.attempt.outcome") != a.outcome || (a.says == "") != (s.Status().Code != codes.Error) || !strings.Contains(text, a.says) || strings.Contains(text, "hunter2") || len(text) > 1100 {
					t.Errorf("%d: %v %+v", n, s.Attributes(), s.Status())
				}
				seen[fmt.Sprint(n)] = true
			}
		}
		if len(seen) != len(answers) {
			t.Errorf("spans of %v", seen)
		}
		rec, err := engine.Job(t.Context(), queue.NewID("test.charge", "4"))
		if err != nil || !strings.Contains(rec.Error, "panic: hunter2") || !strings.Contains(rec.Error, "process_test.go") {
			t.Errorf("the panic's own text and stack are gone: %v %s", err, rec.Error)
		}
	})
}
