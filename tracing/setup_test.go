package tracing_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/tracing"
	"github.com/twicehq/twice/worker"
)

type args struct {
	N int `json:"n"`
}

func key(a args) string { return fmt.Sprint(a.N) }

var (
	charge  = twice.Define("test.charge", twice.Policy[args]{Key: key, Queue: "money", MaxFailures: 2, Timeout: time.Minute})
	receipt = twice.Define("test.receipt", twice.Policy[args]{Key: key, Queue: "mail"})
)

const incoming = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

func newEngine(t testing.TB) *memory.Engine {
	t.Helper()
	engine, err := memory.New(memory.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

// recorded is a Tracing with an SDK, and the spans that have ended in it.
func recorded(oneTrace bool) (*tracing.Tracing, *tracetest.SpanRecorder, trace.TracerProvider) {
	recorder := tracetest.NewSpanRecorder()
	provider := sdk.NewTracerProvider(sdk.WithSpanProcessor(recorder))
	return tracing.New(tracing.Config{Provider: provider, OneTrace: oneTrace}), recorder, provider
}

// work runs a worker with these handlers for a while, then lets it end.
func work(t *testing.T, engine queue.Engine, tr *tracing.Tracing, add func(*worker.Worker), for_ time.Duration) {
	t.Helper()
	w := worker.New(engine, worker.Config{Wraps: []worker.Wrap{tr.Wrap}, Logger: slog.New(slog.DiscardHandler)})
	add(w)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	time.Sleep(for_)
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

// attr gives an attribute of a span as text.
func attr(s sdk.ReadOnlySpan, name string) string {
	for _, kv := range s.Attributes() {
		if string(kv.Key) == name {
			return kv.Value.String()
		}
	}
	return ""
}

func linksTo(s sdk.ReadOnlySpan, to trace.SpanContext) bool {
	for _, l := range s.Links() {
		if l.SpanContext.TraceID() == to.TraceID() && l.SpanContext.SpanID() == to.SpanID() {
			return true
		}
	}
	return false
}

// named gives the spans of a name, in the order in which they ended.
func named(r *tracetest.SpanRecorder, name string) (found []sdk.ReadOnlySpan) {
	for _, s := range r.Ended() {
		if s.Name() == name {
			found = append(found, s)
		}
	}
	return found
}

func headerOf(t *testing.T, e *memory.Engine, kind, key string) queue.Headers {
	t.Helper()
	rec, err := e.Job(t.Context(), queue.NewID(kind, key))
	if err != nil {
		t.Fatal(err)
	}
	return rec.Job.Headers
}
