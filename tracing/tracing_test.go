package tracing_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/worker"
)

// From a request over its job, whose first attempt fails, to the job that it made: by links, or as one trace.
func TestTrace(t *testing.T) {
	for _, oneTrace := range []bool{false, true} {
		t.Run(fmt.Sprint("one=", oneTrace), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tr, spans, provider := recorded(oneTrace)
				inner := newEngine(t)
				engine := tr.Engine(inner)
				ctx, request := provider.Tracer("http").Start(t.Context(), "POST /orders")
				job, err := charge.Job(twice.WithRequestID(ctx, "req-7"), args{1})
				if err != nil {
					t.Fatal(err)
				}
				before := fmt.Sprint(job.Headers)
				if _, err := engine.Enqueue(ctx, job); err != nil {
					t.Fatal(err)
				}
				request.End()
				if fmt.Sprint(job.Headers) != before {
					t.Error("the caller's headers were changed")
				}
				work(t, engine, tr, func(w *worker.Worker) {
					worker.Handle(w, charge, func(ctx context.Context, job twice.Job[args]) error {
						if job.Attempt() == 1 {
							return errors.New("gateway redis://u:hunter2@h is away")
						}
						_, err := receipt.Enqueue(ctx, engine, args{1})
						return err
					})
					worker.Handle(w, receipt, func(ctx context.Context, _ twice.Job[args]) error {
						if !trace.SpanFromContext(ctx).IsRecording() || twice.RequestID(ctx) != "req-7" {
							t.Error("the handler's context has no span, or no request")
						}
						return nil
					})
				}, time.Minute)

				sends, runs, follow, last := named(spans, "send money"), named(spans, "process money"), named(spans, "send mail"), named(spans, "process mail")
				if len(sends) != 1 || len(runs) != 2 || len(follow) != 1 || len(last) != 1 {
					t.Fatalf("%d %d %d %d of %d spans", len(sends), len(runs), len(follow), len(last), len(spans.Ended()))
				}
				send := sends[0]
				if send.SpanKind() != trace.SpanKindProducer || send.Parent().SpanID() != request.SpanContext().SpanID() || attr(send, "messaging.operation.type") != "send" || attr(send, "twice.receipt.status") != "accepted" {
					t.Errorf("send: %s, parent %v, %v", send.SpanKind(), send.Parent(), send.Attributes())
				}
				for i, run := range runs {
					if run.SpanKind() != trace.SpanKindConsumer || !linksTo(run, send.SpanContext()) || attr(run, "twice.job.attempt") != fmt.Sprint(i+1) ||
						attr(run, "messaging.system") != "twice" || attr(run, "messaging.operation.name") != "process" || attr(run, "messaging.message.id") != attr(send, "messaging.message.id") ||
						attr(run, "messaging.destination.name") != "money" || attr(run, "messaging.message.conversation_id") != "req-7" || attr(run, "twice.job.kind") != "test.charge" {
						t.Errorf("attempt %d: %v, links %v", i+1, run.Attributes(), run.Links())
					}
					if same := run.SpanContext().TraceID() == send.SpanContext().TraceID(); same != oneTrace || (run.Parent().SpanID() == send.SpanContext().SpanID()) != oneTrace {
						t.Errorf("attempt %d: the request's trace: %v", i+1, same)
					}
				}
				if s := runs[0].Status(); s.Code != codes.Error || s.Description != "gateway redis://u:***@h is away" || attr(runs[0], "error.type") != "failed" || len(runs[0].Events()) != 0 {
					t.Errorf("%+v %v", s, runs[0].Events())
				}
				if s := runs[1].Status(); s.Code != codes.Unset || attr(runs[1], "twice.attempt.outcome") != "done" {
					t.Errorf("%+v", s)
				}
				// The follow-up is of the second attempt.
				if follow[0].Parent().SpanID() != runs[1].SpanContext().SpanID() || !linksTo(last[0], follow[0].SpanContext()) {
					t.Errorf("follow-up: parent %v, links %v", follow[0].Parent(), last[0].Links())
				}
				if oneTrace && last[0].SpanContext().TraceID() != request.SpanContext().TraceID() {
					t.Error("the follow-up's attempt is in another trace")
				}
			})
		})
	}
}
