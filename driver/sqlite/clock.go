package sqlite

import (
	"sync"
	"time"
)

// clock is the engine's clock in milliseconds: the host's, but never going back. When the host's wall clock
// is set back it goes on from where it was, at the pace of the monotonic clock.
type clock struct {
	host func() time.Time
	mu   sync.Mutex
	last int64
	at   time.Time // the host's reading when last was set
}

func newClock(host func() time.Time) *clock { return &clock{host: host, at: host()} }

func (c *clock) now() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.host()
	passed := h.Sub(c.at).Milliseconds()
	if passed < 0 { // no monotonic part says how long it is: from here on the pace is counted anew
		passed, c.at = 0, h
	}
	if n := max(h.UnixMilli(), c.last+passed); n > c.last {
		c.last, c.at = n, h
	}
	return c.last
}

// raise takes over the time that another process wrote into the file.
func (c *clock) raise(ms int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ms > c.last {
		c.last, c.at = ms, c.host()
	}
}

// instant and millis translate; 0 is the zero time.
func instant(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
