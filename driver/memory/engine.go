package memory

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// Engine keeps jobs in memory. Make one with New.
type Engine struct {
	cfg    Config
	steady *steady
	closed chan struct{}

	mu     sync.Mutex
	clock  time.Time // the latest time seen
	served time.Time // up to when this process is known to have run: see pass
	mark   time.Time

	jobs   map[queue.ID]*row
	lines  map[string]*line
	claims map[queue.ClaimID][]*row // what each claim leased and still holds
	order  []*row                   // by seq; rows that were pruned stay until compacted
	gone   int                      // of order
	seq    int64

	later *shelf // queued and running rows whose time has not come
	ended *shelf // done and cancelled rows, by when they may be pruned

	waiters []*waiter
	alarm   *time.Timer

	trail     []queue.Change
	workers   map[string]announced
	schedules map[string]queue.Schedule

	effects *Ledger
}

var _ interface {
	queue.Engine
	queue.Inspector
	queue.Operator
	queue.Pauser
	queue.Pruner
	queue.Presence
	queue.Schedules
	queue.Auditor
	queue.Exchanger
} = (*Engine)(nil)

// New makes an empty engine. It fails with ErrInvalid, naming everything that is wrong with cfg at once.
func New(cfg Config) (*Engine, error) {
	cfg, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	e := &Engine{
		cfg:       cfg,
		steady:    &steady{host: cfg.Now},
		closed:    make(chan struct{}),
		jobs:      map[queue.ID]*row{},
		lines:     map[string]*line{},
		claims:    map[queue.ClaimID][]*row{},
		later:     &shelf{},
		ended:     &shelf{},
		workers:   map[string]announced{},
		schedules: map[string]queue.Schedule{},
	}
	e.effects = NewLedger(LedgerConfig{Now: e.cfg.Now, KeepFor: e.cfg.KeepFor, Under: e.Under})
	e.served = e.now()
	return e, nil
}

// Ledger is the record of effects beside the jobs: an effect and the check that the lease is held are one step.
func (e *Engine) Ledger() ledger.Store { return e.effects }

// Traits says what the engine promises: everything but to outlive its process.
func (e *Engine) Traits() queue.Traits {
	return queue.Traits{
		Name:          "memory",
		Durability:    "none: jobs live in this process and end with it",
		UniqueFor:     e.cfg.UniqueFor,
		KeepFor:       e.cfg.KeepFor,
		MaxPayload:    e.cfg.MaxPayload,
		MaxBatch:      e.cfg.MaxBatch,
		MaxTTL:        MaxTTL,
		RepeatsClaims: true,
		Fences:        true,
		Counts:        true,
		Dedupes:       true,
	}
}

// Ping fails once the engine is closed.
func (e *Engine) Ping(ctx context.Context) error {
	_, leave, err := e.enter(ctx, "ping")
	if err != nil {
		return err
	}
	leave()
	return nil
}

// Close ends waiting claims with ErrClosed, and every later call.
func (e *Engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.isClosed() {
		close(e.closed)
		e.wind(e.clock)
	}
	return nil
}

func (e *Engine) isClosed() bool {
	select {
	case <-e.closed:
		return true
	default:
		return false
	}
}

// enter begins every call: it takes the mutex, tells the time and lets it pass. Unless it fails, the
// caller must leave.
func (e *Engine) enter(ctx context.Context, op string) (now time.Time, leave func(), err error) {
	if err := ctx.Err(); err != nil {
		return now, nil, &queue.Error{Op: op, Reason: err, Detail: "nothing was changed"}
	}
	e.mu.Lock()
	if e.isClosed() {
		e.mu.Unlock()
		return now, nil, &queue.Error{Op: op, Reason: queue.ErrClosed}
	}
	now = e.pass()
	return now, func() { e.wind(now); e.mu.Unlock() }, nil
}

// fits fails with ErrTooLarge where a call has more than MaxBatch parts.
func (e *Engine) fits(op string, n int) error {
	if n <= e.cfg.MaxBatch {
		return nil
	}
	return &queue.Error{Op: op, Reason: queue.ErrTooLarge, Detail: fmt.Sprintf("%d in one call, the limit is %d", n, e.cfg.MaxBatch), Remedy: "send them in several calls"}
}

func failed(op string, id queue.ID, reason error, detail string) error {
	return &queue.Error{Op: op, Subject: id.String(), Reason: reason, Detail: detail}
}
