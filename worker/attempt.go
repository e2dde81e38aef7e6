package worker

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/queue"
)

// attempt is a lease in this worker's hands, from its claim until its settlement is known.
type attempt struct {
	holding queue.Holding // with the lease
	handler *handler
	got     time.Time // when the lease came, by this process's clock
	slot    bool      // it occupies a slot
	alone   bool      // nothing runs beside it

	phase  atomic.Uint32
	lost   atomic.Pointer[lostLease]
	cancel context.CancelCauseFunc // from running on
	ctx    context.Context         // the same
	since  time.Time               // the same: when the handler was called
	until  time.Time               // the same: its timeout

	end   queue.Settlement // once it is to be settled
	tries int              // settlements the engine refused for a reason that may pass
	log   lazyHandler
	moved twice.Progressed
}

// The phases of an attempt. Whoever moves it out of running decides how it ended.
const (
	waiting    uint32 = iota // for a slot's goroutine to take it up
	running                  // in its handler
	ended                    // out of it, or never in it
	writtenOff               // in it, but nobody waits for it any more
)

// lostLease says when and why.
type lostLease struct {
	at  time.Time
	err error
}

func (a *attempt) lease() *queue.Lease { return &a.holding.Lease }

// now is the engine's clock: when it leased the job, and what has passed here since.
func (a *attempt) now() time.Time {
	if a.lease().ClaimedAt.IsZero() {
		return time.Now()
	}
	return a.lease().ClaimedAt.Add(time.Since(a.got))
}

// waited is the time from when the job was due to when it was leased. Of a job that has lost a lease with no word it is not
// known: it ran meanwhile.
func (a *attempt) waited() time.Duration {
	l := a.lease()
	if l.DueAt.IsZero() || l.Counts.Crashes > 0 {
		return 0
	}
	return max(0, l.ClaimedAt.Sub(l.DueAt))
}

// decide decides how the attempt is to be settled.
func (a *attempt) decide(end Ending) {
	a.end = Decide(*a.lease(), end, a.handler.rules, a.now(), rand.Float64())
	a.end.Alone = a.alone
}

// prepare makes the handler's context: it ends at the timeout, or when stopped.
func (a *attempt) prepare(base context.Context, logger *slog.Logger, worker string) context.CancelFunc {
	lease := a.lease()
	a.log = lazyHandler{base: logger.Handler(), lease: lease, worker: worker}
	ctx := queue.WithHolding(base, &a.holding)
	if len(lease.Job.Headers) > 0 {
		ctx = twice.WithHeaders(ctx, lease.Job.Headers)
	}
	ctx = twice.WithProgress(twice.WithLogger(ctx, slog.New(&a.log)), &a.moved)
	ctx, a.cancel = context.WithCancelCause(ctx)
	limit, late := a.handler.rules.Timeout, a.handler.timeout
	if lease.Job.Timeout > 0 {
		limit, late = lease.Job.Timeout, &TimeoutError{lease.Job.Timeout}
	}
	a.since = time.Now()
	a.until = a.since.Add(limit)
	ctx, stop := context.WithDeadlineCause(ctx, a.until, late)
	a.ctx = ctx
	return stop
}
