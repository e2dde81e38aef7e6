package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/twicehq/twice/queue"
)

// patience is how much longer an answer is waited for once its time is over: the engine's own word says more.
const patience = 200 * time.Millisecond

// enter takes a place among the requests under way, which bounds the bodies and answers that are held at a time. It
// fails with ErrUnavailable where all are taken. Health has a bound of its own, so that it is answered all the same.
func (s *Server) enter(rt *route) (leave func(), err error) {
	if rt.role == Nobody {
		return func() {}, nil
	}
	select {
	case s.inFlight <- struct{}{}:
		return func() { <-s.inFlight }, nil
	default:
		return nil, &queue.Error{Op: rt.name, Reason: queue.ErrUnavailable, Detail: fmt.Sprintf("%d requests are under way", cap(s.inFlight)), Remedy: "repeat it in a moment"}
	}
}

// carryOut does what a route does, within Config.Timeout also where the engine does not come back: then its place is
// held until it does. A change goes on when its client is gone: cut off, its outcome would be unknown.
func (s *Server) carryOut(r *http.Request, c *call) (any, error) {
	ctx := r.Context()
	if c.changes() {
		ctx = context.WithoutCancel(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	type outcome struct {
		answer any
		err    error
	}
	ended := make(chan outcome, 1)
	go func() {
		var out outcome
		defer func() {
			if v := recover(); v != nil {
				out = outcome{nil, s.panicked(r, v)}
			}
			c.leave()
			ended <- out
		}()
		out.answer, out.err = c.run(ctx, s, c)
		out.err = timed(out.err, c.changes())
	}()
	select {
	case out := <-ended:
		return out.answer, out.err
	case <-ctx.Done():
	}
	last := time.NewTimer(patience)
	defer last.Stop()
	select {
	case out := <-ended:
		return out.answer, out.err
	case <-last.C:
		return nil, timed(&queue.Error{Op: c.name, Reason: context.Cause(ctx)}, c.changes())
	}
}

// recovered answers a panic that happened outside of a route.
func (s *Server) recovered(w http.ResponseWriter, r *http.Request) {
	if v := recover(); v != nil {
		if v == http.ErrAbortHandler {
			panic(v)
		}
		s.fail(w, r, nil, s.panicked(r, v))
	}
}

// panicked logs a panic and gives the error to answer. Its value may hold anything, a payload too, unless the
// runtime made it.
func (s *Server) panicked(r *http.Request, v any) error {
	text := fmt.Sprintf("%T", v)
	if err, ok := v.(runtime.Error); ok {
		text = err.Error()
	}
	s.cfg.Logger.ErrorContext(r.Context(), "request panicked", "request_id", requestID(r), "method", r.Method, "panic", text, "stack", string(debug.Stack()))
	return &queue.Error{Op: "serve", Subject: "request", Reason: ErrInternal, Detail: "it cannot be answered"}
}
