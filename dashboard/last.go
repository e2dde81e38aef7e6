package dashboard

import (
	"sync"
	"time"
)

// lastSeen is the last look that told anything, and since when none has. It is shown while the engine is away.
type lastSeen struct {
	mu    sync.Mutex
	good  seen
	since time.Time // the first failure after it; zero: none
	tried time.Time // the last look, good or not
}

// keep remembers a look that succeeded, or since when none has, and gives the last that did.
func (l *lastSeen) keep(s seen) (good seen, since time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tried = s.at
	switch {
	case s.trouble == nil:
		l.good, l.since = s, time.Time{}
	case l.since.IsZero() && s.trouble.away():
		l.since = s.at
	}
	return l.good, l.since
}

// away gives since when the engine has not answered, where somebody looked a moment ago.
func (l *lastSeen) away(now time.Time) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.tried).Abs() > 15*time.Second {
		return time.Time{}
	}
	return l.since
}
