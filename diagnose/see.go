package diagnose

import (
	"context"
	"fmt"
	"time"

	"github.com/twicehq/twice/queue"
)

// see asks the engine, and does not wait for one that hangs: until that call has returned, no other is made.
func (w *Watch) see(ctx context.Context) Sample {
	now := time.Now()
	if w.pending != nil {
		select {
		case <-w.pending:
			w.pending = nil
		default:
			return Sample{At: now, Down: fmt.Sprintf("a call has not returned for %s", lasts(now.Sub(w.left)))}
		}
	}
	call, cancel := context.WithTimeout(ctx, w.cfg.Timeout)
	defer cancel()
	seen, returned := make(chan Sample, 1), make(chan struct{})
	go func() {
		defer close(returned)
		seen <- w.ask(call, now)
	}()
	over := time.NewTimer(w.cfg.Timeout + w.cfg.Timeout/4) // for the engine to obey the context
	defer over.Stop()
	select {
	case s := <-seen:
		return s
	case <-over.C:
		w.pending, w.left = returned, now
		return Sample{At: now, Down: fmt.Sprintf("a call has not returned for %s", lasts(time.Since(now)))}
	}
}

func (w *Watch) ask(ctx context.Context, now time.Time) Sample {
	s := Sample{At: now}
	if err := w.engine.Ping(ctx); err != nil {
		s.Down = reason(err)
		return s
	}
	inspector, ok := queue.As[queue.Inspector](w.engine)
	if !ok {
		s.Unread = fmt.Sprintf("the engine %s does not count its jobs", w.engine.Traits().Name)
		return s
	}
	depths, err := inspector.Depths(ctx, w.cfg.Queues...)
	if err != nil {
		s.Unread = reason(err)
		return s
	}
	s.Queues, s.QueuesOmitted = busiest(depths, w.cfg.MaxQueues)
	if presence, ok := queue.As[queue.Presence](w.engine); !ok {
		s.NoPresence = fmt.Sprintf("the engine %s does not keep its workers", w.engine.Traits().Name)
	} else if workers, err := presence.Workers(ctx); err != nil {
		s.NoPresence = reason(err)
	} else {
		s.Workers, s.WorkersOmitted = bounded(workers, w.cfg.MaxWorkers)
	}
	s.Due = w.look(ctx, inspector, s.Queues)
	return s
}

// reason is an error's text for people, cut.
func reason(err error) string {
	text := err.Error()
	if len(text) > queue.MaxSample {
		text = text[:queue.MaxSample] + "…"
	}
	return text
}
