package sqlite

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/twicehq/twice/queue"
)

// alarm wakes claims that wait. A commit in this process rings it, for the lanes that have work now; a write by
// another process is seen by the file system's events on the write-ahead log, which are watched only
// while somebody waits.
type alarm struct {
	mu                sync.Mutex
	waiting           map[*waiter]bool
	asleep            int  // those in sleep
	watching, leaving bool // the file is watched; a look at whether it still need be is due
	path              string
	watch             *fsnotify.Watcher // nil where the system has no events
	seeing            bool              // the file is watched; else claims look every maxBlind
	closed            chan struct{}
	once              sync.Once
}

// maxBlind is how often a waiting claim looks where other processes' writes cannot be seen.
const maxBlind = 15 * time.Millisecond

// After a write by anybody a waiting claim looks for this long, at most so far apart.
const (
	lookFor = 250 * time.Millisecond
	maxStep = 8 * time.Millisecond
)

type waiter struct {
	a             *alarm
	req           queue.Claim
	queues, kinds map[string]bool
	rung          chan struct{} // this process committed work for it
	stirred       chan struct{} // somebody wrote to the file
	doing         atomic.Int32
	got           chan []queue.Lease // a commit of this process leased these to it
}

func newAlarm(path string) (*alarm, error) {
	a := &alarm{waiting: map[*waiter]bool{}, path: path, closed: make(chan struct{})}
	if w, err := fsnotify.NewWatcher(); err == nil {
		a.watch = w
		go a.relay()
	}
	return a, nil
}

func (a *alarm) close() {
	a.once.Do(func() {
		close(a.closed)
		if a.watch != nil {
			_ = a.watch.Close()
		}
	})
}

func (a *alarm) wait(req queue.Claim) *waiter {
	w := &waiter{a: a, req: req, queues: set(req.Queues), kinds: set(req.Kinds), rung: make(chan struct{}, 1), stirred: make(chan struct{}, 1), got: make(chan []queue.Lease, 1)}
	a.mu.Lock()
	a.waiting[w] = true
	a.mu.Unlock()
	return w
}

func set(names []string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}

func (w *waiter) stop() {
	w.a.mu.Lock()
	delete(w.a.waiting, w)
	w.a.mu.Unlock()
	select {
	case <-w.rung: // it was rung too late to use it: somebody else may
		w.passOn()
	default:
	}
}

// passOn wakes somebody else who waits for any of the same work.
func (w *waiter) passOn() {
	w.a.mu.Lock()
	defer w.a.mu.Unlock()
	for other := range w.a.waiting {
		if other != w && overlap(other.queues, w.queues) && overlap(other.kinds, w.kinds) && other.ring() {
			return
		}
	}
}

func overlap(a, b map[string]bool) bool {
	for n := range a {
		if b[n] {
			return true
		}
	}
	return false
}

// ring reports whether the waiter was not rung before.
func (w *waiter) ring() bool {
	select {
	case w.rung <- struct{}{}:
		return true
	default:
		return false
	}
}

// ring wakes one waiter for each lane.
func (a *alarm) ring(lanes map[laneKey]bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for l := range lanes {
		for w := range a.waiting {
			if w.queues[l.queue] && w.kinds[l.kind] && w.ring() {
				break
			}
		}
	}
}

var errAlarmClosed = errors.New("closed")

// sleep gives the leases that a commit had for the sleeper, or none when there may be work or after pause; an error
// when ctx or the engine has ended. due looks whether there is work, for events that may be anybody's.
func (w *waiter) sleep(ctx context.Context, pause time.Duration, due func() bool) ([]queue.Lease, error) {
	w.doing.Store(asleep)
	err := w.doze(ctx, pause, due)
	for !w.doing.CompareAndSwap(asleep, awake) { // a commit is about to lease something to it: that is not to be lost
		select {
		case leases := <-w.got:
			return leases, nil
		case <-w.rung: // it came to nothing
		case <-w.a.closed: // the writer has ended before, and has answered
			select {
			case leases := <-w.got:
				return leases, nil
			default:
				return nil, errAlarmClosed
			}
		}
	}
	return nil, err
}

func (w *waiter) doze(ctx context.Context, pause time.Duration, due func() bool) error {
	seeing := w.a.enter()
	defer w.a.leave()
	timer := time.NewTimer(pause)
	defer timer.Stop()
	var again <-chan time.Time
	if !seeing {
		again = time.After(min(pause, maxBlind))
	} else if due() { // committed before the file was watched
		return nil
	}
	// The event of a write comes before its commit is visible: look again after growing pauses, for a while.
	var step time.Duration
	var until time.Time
	for {
		select {
		case leases := <-w.got:
			w.got <- leases // for sleep to find
			return nil
		case <-w.rung:
			return nil
		case <-timer.C:
			return nil
		case <-w.stirred:
			until = time.Now().Add(lookFor)
			if again == nil {
				step = time.Millisecond
				again = time.After(step)
			}
		case <-again:
			if due() {
				return nil
			}
			step = min(2*step, maxStep)
			switch {
			case !seeing:
				again = time.After(maxBlind)
			case time.Now().Before(until):
				again = time.After(step)
			default:
				again = nil
			}
		case <-w.a.closed:
			return errAlarmClosed
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// enter reports whether the file is watched: the system may have no watch left.
func (a *alarm) enter() (seeing bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asleep++
	if !a.watching && a.watch != nil {
		a.seeing = a.watch.Add(a.path) == nil
		a.watching = true
	}
	return a.seeing
}

func (a *alarm) leave() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.asleep--; a.asleep == 0 && a.watching && !a.leaving {
		// Not at once: who was woken is in a hurry, and will mostly be back soon.
		a.leaving = true
		time.AfterFunc(lookAway, a.look)
	}
}

// lookAway is how long the file is watched on after the last sleeper was woken.
const lookAway = time.Second

// look ends the watch where nobody sleeps: a busy process need not see its own writes.
func (a *alarm) look() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.leaving = false; a.asleep == 0 && a.watching {
		a.watching = false
		_ = a.watch.Remove(a.path)
	}
}

// relay stirs those who sleep at each event.
func (a *alarm) relay() {
	for {
		select {
		case _, ok := <-a.watch.Events:
			if !ok {
				return
			}
			a.mu.Lock()
			for w := range a.waiting {
				select {
				case w.stirred <- struct{}{}:
				default:
				}
			}
			a.mu.Unlock()
		case _, ok := <-a.watch.Errors:
			if !ok {
				return
			}
		}
	}
}
