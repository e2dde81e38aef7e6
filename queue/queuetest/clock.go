package queuetest

import (
	"sync"
	"time"

	"github.com/twicehq/twice/queue"
)

// Clock is an engine's clock in the hands of a rule: it stands still unless it is moved or made to run.
// It is safe for concurrent use.
type Clock struct {
	mu    sync.Mutex
	at    time.Time
	since time.Time // when it was made to run; zero: it stands
}

// NewClock stands at a fixed instant.
func NewClock() *Clock { return &Clock{at: time.Date(2031, 5, 6, 7, 8, 9, 123e6, time.UTC)} }

// Now is what to give an engine as its clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.since.IsZero() {
		return c.at
	}
	return c.at.Add(time.Since(c.since)).Truncate(queue.Resolution)
}

// Advance moves it.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// Run makes it go as time does, for rules about waiting itself.
func (c *Clock) Run() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.since = time.Now()
}
