package tracing

import (
	"context"
	"maps"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/twicehq/twice/queue"
)

// headerState is W3C's tracestate, which travels with the traceparent.
const headerState = "tracestate"

var w3c propagation.TraceContext

// sentBy gives the span that a job's headers name; it is not valid where they name none.
func sentBy(h queue.Headers) trace.SpanContext {
	if h[queue.HeaderTrace] == "" {
		return trace.SpanContext{}
	}
	return trace.SpanContextFromContext(w3c.Extract(context.Background(), propagation.MapCarrier(h)))
}

// traceparent gives what names a span in a header; empty where it is not valid.
func traceparent(span trace.SpanContext) string {
	if !span.IsValid() {
		return ""
	}
	h := propagation.MapCarrier{}
	w3c.Inject(trace.ContextWithSpanContext(context.Background(), span), h)
	return h[queue.HeaderTrace]
}

// carrying gives headers that name a span, made anew: those of a caller are not changed. Where there is no room they
// stay as they are, since a trace must not be why a job is refused.
func carrying(h queue.Headers, span trace.SpanContext) queue.Headers {
	out := maps.Clone(h)
	if out == nil {
		out = queue.Headers{}
	}
	delete(out, headerState)
	out[queue.HeaderTrace] = traceparent(span)
	if !fits(out) {
		return h
	}
	if state := span.TraceState().String(); state != "" {
		if out[headerState] = state; !fits(out) {
			delete(out, headerState)
		}
	}
	return out
}

func fits(h queue.Headers) bool {
	n := 0
	for k, v := range h {
		n += len(k) + len(v)
	}
	return len(h) <= queue.MaxHeaders && n <= queue.MaxHeaderBytes
}
