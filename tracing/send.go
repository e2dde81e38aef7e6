package tracing

import (
	"context"

	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/queue"
)

// Enqueuer gives q with a span around each call, of kind producer: a child of the span in the call's context, or of the
// one that the context's traceparent names. Every job of the call carries it, but for those that were made in another
// trace (what a relay forwards, for one): they keep theirs, and the span links to it. q is an engine, an engine in a
// transaction, or an outbox; the jobs given are not changed.
func (t *Tracing) Enqueuer(q queue.Enqueuer) queue.Enqueuer { return sender{q, t} }

// Engine is Enqueuer for an engine, every ability of which is found as before.
func (t *Tracing) Engine(e queue.Engine) queue.Engine { return engine{e, sender{e, t}} }

type engine struct {
	queue.Engine
	sender sender
}

// Unwrap implements [queue.Wrapper].
func (e engine) Unwrap() queue.Engine { return e.Engine }

// Enqueue implements [queue.Engine].
func (e engine) Enqueue(ctx context.Context, jobs ...queue.Job) ([]queue.Receipt, error) {
	return e.sender.Enqueue(ctx, jobs...)
}

type sender struct {
	to queue.Enqueuer
	t  *Tracing
}

// maxLinks bounds the links of one span.
const maxLinks = 100

// Enqueue implements [queue.Enqueuer].
func (s sender) Enqueue(ctx context.Context, jobs ...queue.Job) ([]queue.Receipt, error) {
	if len(jobs) == 0 {
		return s.to.Enqueue(ctx, jobs...)
	}
	around := twice.Traceparent(ctx)
	if !trace.SpanContextFromContext(ctx).IsValid() {
		if parent := sentBy(queue.Headers{queue.HeaderTrace: around, headerState: jobs[0].Headers[headerState]}); parent.IsValid() {
			ctx = trace.ContextWithRemoteSpanContext(ctx, parent)
		}
	}
	foreign := func(j *queue.Job) bool { h := j.Headers[queue.HeaderTrace]; return h != "" && h != around }
	var links []trace.Link
	for i := range jobs {
		if foreign(&jobs[i]) && len(links) < maxLinks {
			if from := sentBy(jobs[i].Headers); from.IsValid() && (len(links) == 0 || !links[len(links)-1].SpanContext.Equal(from)) {
				links = append(links, trace.Link{SpanContext: from})
			}
		}
	}
	ctx, span := s.t.start(ctx, jobs, links)
	defer span.End()
	if sc := span.SpanContext(); sc.IsValid() {
		sent := make([]queue.Job, len(jobs))
		for i, j := range jobs {
			if sent[i] = j; !foreign(&j) {
				sent[i].Headers = carrying(j.Headers, sc)
			}
		}
		jobs = sent
	}
	receipts, err := s.to.Enqueue(ctx, jobs...)
	if span.IsRecording() {
		tellReceipts(span, receipts, err)
	}
	return receipts, err
}

func (t *Tracing) start(ctx context.Context, jobs []queue.Job, links []trace.Link) (context.Context, trace.Span) {
	attrs := append(make([]trace.SpanStartOption, 0, 3), trace.WithSpanKind(trace.SpanKindProducer))
	if len(links) > 0 {
		attrs = append(attrs, trace.WithLinks(links...))
	}
	if len(jobs) == 1 {
		return t.tracer.Start(ctx, name("send", jobs[0].Queue), append(attrs, trace.WithAttributes(of(sending[:len(sending):len(sending)], &jobs[0])...))...)
	}
	to := jobs[0].Queue
	all := append(sending[:len(sending):len(sending)], semconv.MessagingBatchMessageCount(len(jobs)))
	for i := range jobs {
		if jobs[i].Queue != to {
			to = ""
			break
		}
	}
	if to != "" {
		all = append(all, semconv.MessagingDestinationName(twice.Scrub(to, queue.MaxName)))
	}
	return t.tracer.Start(ctx, name("send", to), append(attrs, trace.WithAttributes(all...))...)
}

// tellReceipts says what became of the jobs: a duplicate is none of a failure.
func tellReceipts(span trace.Span, receipts []queue.Receipt, err error) {
	if err != nil {
		fail(span, "enqueue", err.Error())
		return
	}
	if len(receipts) == 1 {
		span.SetAttributes(StatusKey.String(receipts[0].Status.String()), semconv.MessagingMessageID(receipts[0].ID.String()))
	}
	for _, r := range receipts {
		if r.Status == queue.Conflict || r.Status == queue.Refused {
			text := r.Status.String()
			if r.Err != nil {
				text = r.Err.Error()
			}
			fail(span, r.Status.String(), text)
			return
		}
	}
}
