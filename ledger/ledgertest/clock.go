package ledgertest

import (
	"sync"
	"time"
)

// Clock is a store's clock in the hands of a rule: it stands still unless it is moved. It is safe for
// concurrent use.
type Clock struct {
	mu sync.Mutex
	at time.Time
}

// NewClock stands at a fixed instant.
func NewClock() *Clock { return &Clock{at: time.Date(2031, 5, 6, 7, 8, 9, 123e6, time.UTC)} }

// Now is what to give a store, and the engine it shares a database with, as its clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// Advance moves it.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}
