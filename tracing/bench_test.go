package tracing_test

import (
	"context"
	"testing"

	sdk "go.opentelemetry.io/otel/sdk/trace"

	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/tracing"
)

// What tracing adds to one attempt and to one enqueue: with no SDK, and with one that samples nothing.
func BenchmarkTracing(b *testing.B) {
	none := sdk.NewTracerProvider(sdk.WithSampler(sdk.NeverSample()))
	for name, tr := range map[string]*tracing.Tracing{"no-sdk": tracing.New(tracing.Config{}), "unsampled": tracing.New(tracing.Config{Provider: none})} {
		for what, h := range map[string]queue.Headers{"plain": nil, "traced": {queue.HeaderTrace: incoming}} {
			lease := queue.Lease{Job: queue.Job{Queue: "money", Kind: "test.charge", Headers: h}, Token: 1}
			run := tr.Wrap(func(context.Context, queue.Lease) error { return nil })
			b.Run(name+"/process/"+what, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					_ = run(b.Context(), lease)
				}
			})
			q := tr.Enqueuer(nowhere{})
			b.Run(name+"/send/"+what, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					_, _ = q.Enqueue(b.Context(), lease.Job)
				}
			})
		}
	}
}

type nowhere struct{}

func (nowhere) Enqueue(context.Context, ...queue.Job) ([]queue.Receipt, error) { return nil, nil }
