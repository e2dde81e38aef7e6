package redis

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"

	"github.com/twicehq/twice/queue"
)

// wake hears from the server which queues got jobs while somebody waited for them. Whenever the connection was lost
// everybody looks for himself once it is back: what was said meanwhile nobody heard.
type wake struct {
	e      *Engine
	cancel context.CancelFunc
	once   sync.Once
	ctx    context.Context
	heard  chan struct{} // closed when first subscribed

	mu      sync.Mutex
	waiters map[*waiter]struct{}
}

type waiter struct {
	w     *wake
	req   queue.Claim
	bell  chan struct{}
	doing atomic.Int32
	got   chan []queue.Lease // what went with an enqueue of this process
}

func newWake(e *Engine) *wake {
	w := &wake{e: e, waiters: map[*waiter]struct{}{}, heard: make(chan struct{})}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	return w
}

func (w *wake) stop() { w.cancel() }

// join begins to listen before the first look, so that nothing is missed between look and sleep.
func (w *wake) join(req queue.Claim) *waiter {
	w.once.Do(func() { go w.listen() })
	me := &waiter{w: w, req: req, bell: make(chan struct{}, 1), got: make(chan []queue.Lease, 1)}
	w.mu.Lock()
	w.waiters[me] = struct{}{}
	w.mu.Unlock()
	select {
	case <-w.heard:
	case <-w.ctx.Done():
	case <-time.After(time.Second): // the server cannot be reached now: the look will say so
	}
	return me
}

func (me *waiter) leave() {
	me.w.mu.Lock()
	defer me.w.mu.Unlock()
	delete(me.w.waiters, me)
}

// sleep gives the leases that came meanwhile, or none when there may be something to claim, or after pause. It fails
// when the context ends or the engine closes.
func (me *waiter) sleep(ctx context.Context, pause time.Duration) ([]queue.Lease, error) {
	me.doing.Store(asleep)
	err := me.doze(ctx, pause)
	for !me.doing.CompareAndSwap(asleep, awake) { // its claim is under way: what that gives is not to be lost
		select {
		case leases := <-me.got:
			return leases, nil
		case <-me.bell: // nothing
		}
	}
	return nil, err
}

func (me *waiter) doze(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case leases := <-me.got:
		me.got <- leases // for sleep to find
	case <-me.bell:
	case <-timer.C:
	case <-ctx.Done():
		return ctx.Err()
	case <-me.w.ctx.Done():
		return queue.ErrClosed
	}
	return nil
}

// ring wakes those who wait for the queue; empty: everybody.
func (w *wake) ring(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for me := range w.waiters {
		if name == "" || slices.Contains(me.req.Queues, name) {
			me.ring()
		}
	}
}

func (me *waiter) ring() {
	select {
	case me.bell <- struct{}{}:
	default:
	}
}

// listen keeps the subscription.
func (w *wake) listen() {
	subscribed := sync.OnceFunc(func() { close(w.heard) })
	for w.ctx.Err() == nil {
		client, release := w.e.client.Dedicate()
		gone := client.SetPubSubHooks(rueidis.PubSubHooks{
			OnMessage: func(m rueidis.PubSubMessage) { w.ring(m.Message) },
			OnSubscription: func(rueidis.PubSubSubscription) {
				subscribed()
				w.ring("")
			},
		})
		if err := client.Do(w.ctx, client.B().Subscribe().Channel(w.e.channel).Build()).Error(); err == nil {
			select {
			case <-gone:
			case <-w.ctx.Done():
			}
		}
		release()
		select {
		case <-w.ctx.Done():
		case <-time.After(100 * time.Millisecond): // between attempts to connect again
		}
	}
}
