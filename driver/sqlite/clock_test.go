package sqlite

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/twicehq/twice/queue"
)

// host is a host's clock in the hands of a test: it jumps, freezes and runs back.
type host struct {
	mu sync.Mutex
	at time.Time
}

func newHost() *host { return &host{at: time.Date(2031, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (h *host) now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.at
}

func (h *host) jump(by time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = h.at.Add(by)
}

// lapse lets leases of a minute run out while the engine serves.
func lapse(t testing.TB, e *Engine, h *host) {
	t.Helper()
	for range 8 {
		h.jump(20 * time.Second)
		must(t, e.Ping(ctx))
	}
}

// engineTime is the engine's clock, as a claim tells it.
func engineTime(t testing.TB, e *Engine) time.Time {
	t.Helper()
	d, err := e.Depths(ctx)
	must(t, err)
	return d[0].AsOf
}

// The host's clock jumps ten minutes either way, freezes and runs back, 50 times, with the engine opened again now and
// then: what is held is leased to nobody else, every job comes to its end, and the engine's clock never goes back
// but for the second that a reopening may lose.
func TestClock(t *testing.T) {
	t.Parallel()
	chance := rand.New(rand.NewPCG(*seedFlag, 8))
	h := newHost()
	path := newPath(t)
	e, err := Open(path, Config{Now: h.now, Logger: silent})
	must(t, err)
	defer func() { must(t, e.Close()) }()
	const n = 30
	accept(t, e, jobs(0, n)...)
	accept(t, e, jobs(n, n, func(j *queue.Job) { j.RunAt = h.now().Add(5 * time.Minute) })...)
	before := engineTime(t, e)
	held := map[queue.ID]queue.Lease{}
	until := map[queue.ID]time.Time{}
	ended := 0
	for range 50 {
		switch chance.IntN(4) {
		case 0:
			h.jump(10 * time.Minute)
		case 1:
			h.jump(-10 * time.Minute)
		case 2: // frozen
		case 3:
			for range 5 {
				h.jump(-time.Second)
				must(t, e.Ping(ctx))
			}
		}
		slack := time.Duration(0)
		if chance.IntN(5) == 0 {
			must(t, e.Close())
			e, err = Open(path, Config{Now: h.now, Logger: silent})
			must(t, err)
			slack = time.Second
			if now := engineTime(t, e); now.Before(before.Add(-slack)) { // a reader that comes before any writer
				t.Fatalf("opened again, the engine's clock went back from %s to %s", before, now)
			}
		}
		must(t, e.Ping(ctx))
		now := engineTime(t, e)
		if now.Before(before.Add(-slack)) {
			t.Fatalf("the engine's clock went back from %s to %s", before, now)
		}
		before = now
		for _, l := range claim(t, e, 3) {
			if old, is := held[l.Job.ID]; is {
				if until[l.Job.ID].After(l.ClaimedAt) {
					t.Fatalf("%s was leased while its lease ran on for %s", l.Job.Key, until[l.Job.ID].Sub(l.ClaimedAt))
				}
				if l.Token <= old.Token {
					t.Fatalf("token %d after %d", l.Token, old.Token)
				}
				if answers, err := e.Settle(ctx, done(old)); err != nil || !errors.Is(answers[0], queue.ErrLeaseLost) {
					t.Fatalf("a replaced lease settled: %v, %v", answers, err)
				}
			}
			held[l.Job.ID], until[l.Job.ID] = l, l.Until
		}
		for id, l := range held {
			switch chance.IntN(3) {
			case 0:
				settle(t, e, done(l))
				delete(held, id)
				ended++
			case 1:
				answers, err := e.Extend(ctx, time.Minute, l)
				if err = errors.Join(err, answers[0]); err != nil {
					t.Fatalf("what nobody else has was not held: %v", err)
				}
				until[id] = before.Add(time.Minute)
			}
		}
	}
	// No wedge: when the clock goes on, everything that is left comes to its end.
	for range 100 {
		h.jump(time.Minute)
		ended += drain(t, e)
	}
	if ended != 2*n {
		t.Errorf("%d of %d ended", ended, 2*n)
	}
	if b := balanced(t, e); b.Found.Done != 2*n {
		t.Errorf("%+v", b)
	}
}

// A host whose clock was set back still hands out what is due, at the pace of its monotonic clock.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var off time.Duration
	e := open(t, Config{Now: func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now := time.Now()
		if off == 0 {
			return now
		}
		return now.Round(0).Add(off) // without the monotonic reading, as after a suspended machine
	}})
	accept(t, e, named("now"))
	mu.Lock()
	off = -time.Hour
	mu.Unlock()
	if l := take(t, e); l.Job.Key != "now" {
		t.Errorf("leased %s", l.Job.Key)
	}
	accept(t, e, named("after"))
	take(t, e)
}
