package gateway

import (
	"context"
	"slices"
)

// heldCall is one blocked call; closing free lets it go on.
type heldCall struct {
	Held
	free chan struct{}
}

// hold blocks the call if the dial hits it, until it is released. It returns
// nil when the call is to go on, errGone when its caller went away, and another
// problem when the server closes or MaxHeld calls are held already.
func (s *Server) hold(ctx context.Context, d *dial, call Held) *problem {
	s.mu.Lock()
	if !d.hit(call.OrderID) {
		s.mu.Unlock()
		return nil
	}
	if len(s.held) >= s.cfg.MaxHeld {
		s.counts.HoldsRefused++
		s.mu.Unlock()
		return unavailable(CodeHeldFull, "%d calls are held, which is the limit; release some or raise MaxHeld", s.cfg.MaxHeld)
	}
	h := &heldCall{Held: call, free: make(chan struct{})}
	s.held[h] = struct{}{}
	s.mu.Unlock()

	defer func() {
		s.mu.Lock()
		delete(s.held, h)
		s.mu.Unlock()
	}()
	select {
	case <-h.free:
		return nil
	case <-ctx.Done():
		return errGone
	case <-s.closed:
		return errClosed
	}
}

// Release lets the held calls of the named orders go on, or with no name all of
// them, and returns how many it freed. The Control is unchanged: later calls may
// be held. Safe for concurrent use.
func (s *Server) Release(orders ...string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	freed := 0
	for h := range s.held {
		if len(orders) == 0 || slices.Contains(orders, h.OrderID) {
			delete(s.held, h)
			close(h.free)
			freed++
		}
	}
	return freed
}
