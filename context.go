package twice

import (
	"context"
	"log/slog"
	"maps"

	"github.com/twicehq/twice/queue"
)

type headersKey struct{}
type loggerKey struct{}

// WithRequestID returns ctx with a request's id: it travels with every job made from ctx, into the
// handler's context and logger, and on to the jobs made there.
func WithRequestID(ctx context.Context, id string) context.Context {
	return withHeader(ctx, queue.HeaderRequest, id)
}

// RequestID gives the id of the request that ctx belongs to, or "".
func RequestID(ctx context.Context) string { return headersOf(ctx)[queue.HeaderRequest] }

// WithTraceparent is WithRequestID for a W3C traceparent.
func WithTraceparent(ctx context.Context, traceparent string) context.Context {
	return withHeader(ctx, queue.HeaderTrace, traceparent)
}

// Traceparent gives the W3C traceparent that ctx belongs to, or "".
func Traceparent(ctx context.Context) string { return headersOf(ctx)[queue.HeaderTrace] }

// WithHeaders returns ctx carrying the request and trace ids of a job: what workers give a handler.
func WithHeaders(ctx context.Context, h queue.Headers) context.Context {
	for _, name := range []string{queue.HeaderRequest, queue.HeaderTrace} {
		if h[name] != "" {
			ctx = withHeader(ctx, name, h[name])
		}
	}
	return ctx
}

func withHeader(ctx context.Context, name, value string) context.Context {
	h := headersOf(ctx)
	if h == nil {
		h = queue.Headers{}
	}
	h[name] = value
	return context.WithValue(ctx, headersKey{}, h)
}

// headersOf gives a copy, nil if there are none.
func headersOf(ctx context.Context) queue.Headers {
	h, _ := ctx.Value(headersKey{}).(queue.Headers)
	return maps.Clone(h)
}

// WithLogger returns ctx carrying a logger.
func WithLogger(ctx context.Context, l *slog.Logger) context.Context {
	return context.WithValue(ctx, loggerKey{}, l)
}

// Logger gives the logger of ctx: in a handler one that names the request, the job and the attempt
// on every line; elsewhere slog's default.
func Logger(ctx context.Context) *slog.Logger {
	if l, ok := ctx.Value(loggerKey{}).(*slog.Logger); ok {
		return l
	}
	return slog.Default()
}
