package tracing_test

import (
	"context"
	"fmt"
	"log/slog"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/tracing"
	"github.com/twicehq/twice/worker"
)

// How do I see a request, its job and the attempts as one trace?
func Example() {
	spans := tracetest.NewSpanRecorder() // an application installs an SDK with an exporter instead
	provider := sdk.NewTracerProvider(sdk.WithSpanProcessor(spans))
	tr := tracing.New(tracing.Config{Provider: provider, OneTrace: true})

	store, err := memory.New(memory.Config{})
	if err != nil {
		panic(err)
	}
	engine := tr.Engine(store) // enqueue through it
	w := worker.New(engine, worker.Config{Wraps: []worker.Wrap{tr.Wrap}, Logger: slog.New(slog.DiscardHandler)})
	ctx, stop := context.WithCancel(context.Background())
	worker.Handle(w, charge, func(context.Context, twice.Job[args]) error {
		stop()
		return nil
	})

	request, span := provider.Tracer("api").Start(ctx, "POST /orders")
	if _, err := charge.Enqueue(request, engine, args{17}); err != nil {
		panic(err)
	}
	span.End()
	if err := w.Run(ctx); err != nil {
		panic(err)
	}
	for _, s := range spans.Ended() {
		fmt.Println(s.SpanKind(), s.Name(), s.SpanContext().TraceID() == span.SpanContext().TraceID())
	}
	// Output:
	// producer send money true
	// internal POST /orders true
	// consumer process money true
}
