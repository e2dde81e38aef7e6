package twice

import (
	"context"
	"sync"
	"time"
)

// Progress says how far the attempt that ctx belongs to has come: done of total, in units of the handler's choice. People
// see it beside the running job, and an attempt that reports is not taken for one that is stuck. A negative number
// counts as 0. It is cheap, may be called concurrently, and does nothing outside a handler.
func Progress(ctx context.Context, done, total int) {
	if p, ok := ctx.Value(progressKey{}).(*Progressed); ok {
		p.report(max(0, done), max(0, total))
	}
}

// Progressed keeps what an attempt last reported; its zero value is ready. All methods may be called concurrently.
type Progressed struct {
	mu          sync.Mutex
	done, total int
	moved       time.Time
}

type progressKey struct{}

// WithProgress returns ctx with a place for Progress to report to: what workers give a handler.
func WithProgress(ctx context.Context, p *Progressed) context.Context {
	return context.WithValue(ctx, progressKey{}, p)
}

func (p *Progressed) report(done, total int) {
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.total, p.moved = done, total, now
}

// Read gives what was last reported and when, by this process's clock; a zero time: nothing was.
func (p *Progressed) Read() (done, total int, moved time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.done, p.total, p.moved
}
