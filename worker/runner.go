package worker

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twicehq/twice/queue"
)

// runner is one Run of a worker.
type runner struct {
	*Worker
	base     context.Context // of handlers: Run's values, without its end
	calls    context.Context // of calls to the engine: ends when Run does
	hangUp   context.CancelFunc
	claims   context.Context // of claims: ends when a drain begins
	noMore   context.CancelFunc
	exchange queue.Exchanger // nil: the engine has none
	maxBatch int
	kinds    []string
	queues   []string
	caps     map[string]int
	began    time.Time
	recent   *recorder

	slots    int
	work     chan *attempt // to the slots; it has room for all of them
	starting atomic.Bool   // a goroutine for them has been started and has not begun
	failed   chan struct{} // has one element once the run cannot go on
	beatNow  chan struct{}
	loneNow  chan struct{}  // a suspect's process has ended: there may be another suspect
	senders  sync.WaitGroup // whoever may send to work
	others   sync.WaitGroup

	polled atomic.Int64 // when a claim was last answered, in Unix ns
	turned atomic.Int64 // when the claim loop last moved
	shut   atomic.Bool  // the grace has passed: nothing may begin
	old    atomic.Bool  // leases were answered late

	mu       sync.Mutex
	turn     sync.Cond // pumps wait for something to do
	quiet    sync.Cond // drain waits for nothing to be under way
	held     map[*attempt]struct{}
	ends     []*attempt // to be settled
	free     int        // slots that are neither busy nor reserved by a claim under way
	deaf     int
	suspects int // claims of suspects, and their processes, that are under way
	polling  bool
	hangPoll context.CancelFunc // ends the poll under way
	aside    bool               // no claims: a suspect is to run alone
	draining bool
	over     bool
	stalled  bool
	reason   error
	loneBusy map[string]bool // queues whose suspect has a process of this worker
}

func (w *Worker) newRunner(ctx context.Context, slots int) *runner {
	r := &runner{
		Worker: w, base: context.WithoutCancel(ctx), began: time.Now(), slots: slots, free: slots,
		work: make(chan *attempt, slots), failed: make(chan struct{}, 1), beatNow: make(chan struct{}, 1), loneNow: make(chan struct{}, 1),
		held: map[*attempt]struct{}{}, loneBusy: map[string]bool{}, recent: newRecorder(w.rules()),
	}
	r.calls, r.hangUp = context.WithCancel(r.base)
	r.claims, r.noMore = context.WithCancel(r.calls)
	r.turn.L, r.quiet.L = &r.mu, &r.mu
	r.exchange, _ = queue.As[queue.Exchanger](w.engine)
	r.maxBatch = w.engine.Traits().MaxBatch
	if r.maxBatch <= 0 {
		r.maxBatch = 1000
	}
	r.kinds, r.queues, r.caps = w.served()
	r.moved()
	return r
}

// start opens the slots and keeps leases alive; nothing is claimed yet.
func (r *runner) start() {
	r.run.Store(r)
	r.background(r.beat)
	r.background(r.warden)
}

// serve runs f, which may send to the slots, until the run is over.
func (r *runner) serve(f func()) {
	r.senders.Go(f)
}

// background runs f until the run is over.
func (r *runner) background(f func()) {
	r.others.Go(f)
}

// fail ends the run, with err, by a drain.
func (r *runner) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reason != nil || r.over {
		return
	}
	r.reason = err
	select {
	case r.failed <- struct{}{}:
	default:
	}
}

func (r *runner) failure() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reason
}

// tell tells the observers.
func (r *runner) tell(ctx context.Context, e Event) {
	e.At, e.Worker = time.Now(), r.cfg.Name
	r.recent.observe(&e)
	r.observer.tell(ctx, e)
}

// pause waits for d; false where ctx ended.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
