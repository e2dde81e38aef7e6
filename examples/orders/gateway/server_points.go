package gateway

import (
	"context"
	"net/http"
	"time"
)

// fail returns a problem if the dial hits the call, and counts it. Where the
// dial says drop, it ends the call by a panic that net/http knows instead.
func (s *Server) fail(d *dial, orderID string, count *int64) *problem {
	s.mu.Lock()
	hit, drop := d.hit(orderID), d.Drop
	if hit {
		*count++
	}
	s.mu.Unlock()
	switch {
	case !hit:
		return nil
	case drop:
		panic(http.ErrAbortHandler)
	}
	return unavailable(CodeUnavailable, "told to fail; ask about the key to learn whether it charged")
}

// delay adds the latency it was told.
func (s *Server) delay(ctx context.Context) *problem {
	s.mu.Lock()
	d := time.Duration(s.told.latencyMS) * time.Millisecond
	s.mu.Unlock()
	if d == 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return errGone
	case <-s.closed:
		return errClosed
	}
}

// countCall counts a well-formed call of POST /charges.
func (s *Server) countCall() {
	s.mu.Lock()
	s.counts.Calls++
	s.mu.Unlock()
}
