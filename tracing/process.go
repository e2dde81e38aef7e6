package tracing

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/trace"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

// Wrap is a [worker.Wrap]: a span of kind consumer around each run of a handler, in the handler's context, that links to
// the span that sent the job. The context's traceparent names it, so that what the handler enqueues carries it also
// where the enqueuer is not one of Tracing's; without an SDK that is the job's own, as it came.
func (t *Tracing) Wrap(run worker.Run) worker.Run {
	return func(ctx context.Context, lease queue.Lease) (answer error) {
		from := sentBy(lease.Job.Headers)
		options := append(make([]trace.SpanStartOption, 0, 4), trace.WithSpanKind(trace.SpanKindConsumer),
			trace.WithAttributes(append(of(processed[:len(processed):len(processed)], &lease.Job), AttemptKey.Int64(lease.Token))...))
		if from.IsValid() {
			options = append(options, trace.WithLinks(trace.Link{SpanContext: from}))
		}
		if t.oneTrace && from.IsValid() {
			ctx = trace.ContextWithRemoteSpanContext(ctx, from)
		} else {
			options = append(options, trace.WithNewRoot())
		}
		ctx, span := t.tracer.Start(ctx, name("process", lease.Job.Queue), options...)
		if own := traceparent(span.SpanContext()); own != "" {
			ctx = twice.WithTraceparent(ctx, own)
		}
		returned := false
		defer func() { // it recovers nothing: the worker tells of a panic, with its stack
			if span.IsRecording() {
				tellAnswer(ctx, span, answer, returned)
			}
			span.End()
		}()
		answer = run(ctx, lease)
		returned = true
		return answer
	}
}

// tellAnswer says how the run ended, by the handler's word.
func tellAnswer(ctx context.Context, span trace.Span, answer error, returned bool) {
	var buried *twice.Buried
	var snoozed *twice.Snoozed
	outcome := queue.OutcomeFailed
	switch cause := context.Cause(ctx); {
	case !returned:
		outcome, answer = queue.OutcomePanicked, errors.New("the handler panicked")
	case answer == nil:
		outcome = queue.OutcomeDone
	case errors.As(answer, &snoozed):
		outcome = queue.OutcomeSnoozed
	case errors.As(answer, &buried), errors.Is(answer, queue.ErrInDoubt):
		outcome = queue.OutcomeBuried
	case errors.Is(cause, context.DeadlineExceeded):
		outcome = queue.OutcomeTimedOut
	case errors.Is(cause, worker.ErrShutdown):
		outcome = queue.OutcomeInterrupted
	case errors.Is(cause, queue.ErrCancelled):
		outcome = queue.OutcomeCancelled
	}
	span.SetAttributes(OutcomeKey.String(outcome.String()))
	if outcome != queue.OutcomeDone && outcome != queue.OutcomeSnoozed {
		fail(span, outcome.String(), answer.Error())
	}
}
