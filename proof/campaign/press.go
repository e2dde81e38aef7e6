package campaign

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/twicehq/twice/queue"
)

// press sends new jobs around a strike, one a request and several requests side by side: whenever the strike lands,
// some were just answered and some are under way. What was accepted must end like all others.
type press struct {
	f      *Field
	cancel context.CancelFunc
	stop   chan struct{}
	all    sync.WaitGroup
	before int // requests that were not answered at first

	mu  sync.Mutex
	n   int // answered
	err error
}

const (
	pressers     = 4
	fresh        = 10                    // answers awaited before a server is killed
	firstPressed = 1 << 29               // the number of the first job
	pressPause   = 10 * time.Millisecond // between requests, once one was not answered
)

func (f *Field) press() *press {
	ctx, cancel := context.WithCancel(context.Background())
	p := &press{f: f, cancel: cancel, stop: make(chan struct{}), before: f.world.notAnswered()}
	for range pressers {
		p.all.Go(func() { p.send(ctx) })
	}
	return p
}

func (p *press) send(ctx context.Context) {
	var pause time.Duration
	for {
		repeated, err := p.f.send(ctx, []Args{{N: firstPressed + p.f.world.press()}}, queue.Accepted)
		p.mu.Lock()
		p.n++
		p.err = errors.Join(p.err, err)
		p.mu.Unlock()
		if repeated {
			pause = pressPause
		}
		select {
		case <-p.stop:
			return
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		if err != nil {
			return
		}
	}
}

// answered waits for n answers, but not long: whoever passed the point of the strike waits, too.
func (p *press) answered(n int) {
	for end := time.Now().Add(time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		p.mu.Lock()
		enough := p.n >= n
		p.mu.Unlock()
		if enough {
			return
		}
	}
}

// unanswered reports whether a request was not answered since it began.
func (p *press) unanswered() bool { return p.f.world.notAnswered() > p.before }

// end waits until what is under way is answered, and adds what went wrong to err.
func (p *press) end(err error) error {
	close(p.stop)
	if err != nil {
		p.cancel()
	}
	p.all.Wait()
	p.cancel()
	return errors.Join(err, p.err)
}

// press counts one more job, and gives how many there were before.
func (w *world) press() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pressed++
	return w.pressed - 1
}

func (w *world) leftUnanswered() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unanswered++
}

func (w *world) notAnswered() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.unanswered
}
