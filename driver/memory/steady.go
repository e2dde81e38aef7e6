package memory

import (
	"sync"
	"time"
)

// steady is a clock that never goes back: where the host's is set back, it goes on from where it was, at the pace of that
// one. It is cut to queue.Resolution.
type steady struct {
	host func() time.Time

	mu       sync.Mutex
	last, at time.Time // what it showed, and what the host's did then
}

func (s *steady) now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := time.UnixMilli(s.host().UnixMilli()).UTC()
	on := s.last.Add(max(0, h.Sub(s.at)))
	s.at, s.last = h, h
	if on.After(h) {
		s.last = on
	}
	return s.last
}
