package campaign

import "sync"

// trap springs once each time it is set: at the n-th event of its point from then on. Who passes the point
// waits until it has sprung.
type trap struct {
	mu     sync.Mutex
	point  Point
	left   int // 0: not set
	strike func(Event) bool
	sprung chan struct{}
}

// set arms it. strike reports whether the event was of use; if not, the next one of the point is taken.
// The channel is closed once it has sprung.
func (t *trap) set(point Point, n int, strike func(Event) bool) <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.point, t.left, t.strike, t.sprung = point, max(1, n), strike, make(chan struct{})
	return t.sprung
}

// unset disarms it, and reports whether it had not sprung.
func (t *trap) unset() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	was := t.left > 0
	t.left = 0
	return was
}

// pass is called at every event.
func (t *trap) pass(e Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.left == 0 || e.Point != t.point {
		return
	}
	if t.left > 1 {
		t.left--
		return
	}
	if t.strike(e) {
		t.left = 0
		close(t.sprung)
	}
}
