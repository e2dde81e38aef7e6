package tracing

import (
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/queue"
)

// Config of the spans; a zero field means the default of its comment.
type Config struct {
	Provider trace.TracerProvider // OpenTelemetry's global one, also where an SDK is installed later
	// OneTrace makes the span of an attempt a child of the one that sent its job; else it begins a trace of its own.
	// It links to it either way.
	OneTrace bool
}

// Tracing makes spans. It may be used concurrently.
type Tracing struct {
	tracer   trace.Tracer
	oneTrace bool
}

// New makes a Tracing.
func New(cfg Config) *Tracing {
	if cfg.Provider == nil {
		cfg.Provider = otel.GetTracerProvider()
	}
	return &Tracing{cfg.Provider.Tracer("github.com/twicehq/twice", trace.WithSchemaURL(semconv.SchemaURL)), cfg.OneTrace}
}

// Attributes beside those of the conventions.
const (
	KindKey    = attribute.Key("twice.job.kind")
	AttemptKey = attribute.Key("twice.job.attempt") // the fencing token, as in the log
	StatusKey  = attribute.Key("twice.receipt.status")
	OutcomeKey = attribute.Key("twice.attempt.outcome")
)

var (
	system    = semconv.MessagingSystemKey.String("twice")
	sending   = []attribute.KeyValue{system, semconv.MessagingOperationName("send"), semconv.MessagingOperationTypeSend}
	processed = []attribute.KeyValue{system, semconv.MessagingOperationName("process"), semconv.MessagingOperationTypeProcess}
)

// of adds what a job is: its queue, id and kind, and the request that made it. Neither its key nor its payload.
func of(attrs []attribute.KeyValue, job *queue.Job) []attribute.KeyValue {
	attrs = append(attrs, semconv.MessagingDestinationName(twice.Scrub(job.Queue, queue.MaxName)), KindKey.String(twice.Scrub(job.Kind, queue.MaxName)))
	if !job.ID.IsZero() {
		attrs = append(attrs, semconv.MessagingMessageID(job.ID.String()))
	}
	if request := job.Headers[queue.HeaderRequest]; request != "" {
		attrs = append(attrs, semconv.MessagingMessageConversationID(twice.Scrub(request, maxText)))
	}
	return attrs
}

// name names a span after its destination, where that is a name.
func name(operation, queueName string) string {
	if queue.CheckName("queue", queueName) != nil {
		return operation
	}
	return operation + " " + queueName
}

// maxText is how many bytes of an error or a request's id a span shows.
const maxText = 1 << 10

// fail says on a span why it failed: class is a word, not a text.
func fail(span trace.Span, class, text string) {
	span.SetAttributes(semconv.ErrorTypeKey.String(class))
	span.SetStatus(codes.Error, twice.Scrub(text, maxText))
}
