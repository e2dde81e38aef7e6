package worker

import (
	"context"
	"log/slog"
	"sync"

	"github.com/twicehq/twice/queue"
)

// lazyHandler names the request, the job and the attempt on every line. The attributes are put together
// at the first line, since most attempts log nothing.
type lazyHandler struct {
	base   slog.Handler
	lease  *queue.Lease
	worker string
	once   sync.Once
	full   slog.Handler
}

func (h *lazyHandler) filled() slog.Handler {
	h.once.Do(func() { h.full = h.base.WithAttrs(append(attemptAttrs(h.lease), slog.String("worker", h.worker))) })
	return h.full
}

func (h *lazyHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.base.Enabled(ctx, level)
}
func (h *lazyHandler) Handle(ctx context.Context, r slog.Record) error {
	return h.filled().Handle(ctx, r)
}
func (h *lazyHandler) WithAttrs(attrs []slog.Attr) slog.Handler { return h.filled().WithAttrs(attrs) }
func (h *lazyHandler) WithGroup(name string) slog.Handler       { return h.filled().WithGroup(name) }
