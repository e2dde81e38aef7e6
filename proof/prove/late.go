package prove

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/proof/campaign"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/worker"
)

// control is what a control of F13 takes away.
type control struct {
	sweepByID bool // the ledger forgets what the engine has pruned, however fresh it is
	noOrigin  bool // requests are taken as if they had no origin
}

func forgotten(ctx context.Context, r *round) error { return late(ctx, r, control{}) }

const lateIDs = 300

// late runs jobs whose effect is counted by a remote that honours nothing, and sends their requests again: when the engine
// has pruned the jobs and the ledger still knows them; and when both have forgotten.
func late(ctx context.Context, r *round, c control) (err error) {
	store, clock, err := r.inProcess(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	l := &lateness{round: r, store: store, clock: clock, made: map[string]int{}, control: c}
	if c.sweepByID {
		l.swept = &sweptByID{Store: store.Ledger, gone: map[queue.ID]int{}}
		store.Ledger = l.swept
	}
	pruner, err := queue.Need[queue.Pruner](store.Engine, "prove")
	if err != nil {
		return err
	}
	began := clock.now()
	if err := l.send(ctx, "at first", began, queue.Accepted, 1); err != nil {
		return err
	}

	clock.pass(store.Engine.Traits().UniqueFor + time.Hour)
	for n := 1; n > 0; {
		if n, err = pruner.Prune(ctx, 1000); err != nil {
			return err
		}
	}
	if l.swept != nil {
		l.swept.all(l.ids)
	}
	if err := l.send(ctx, "when the engine has pruned them, without an origin", time.Time{}, queue.Accepted, 1); err != nil {
		return err
	}

	clock.pass(ledger.KeepFor + store.Engine.Traits().UniqueFor + time.Hour)
	for more := true; more; {
		done, err := ledger.Reap(ctx, store.Engine, store.Ledger, ledger.Reaping{Now: clock.now()})
		if err != nil {
			return err
		}
		more = done.More
	}
	if err := l.send(ctx, "when all is forgotten, with their origin", began, queue.Refused, 1); err != nil {
		return err
	}
	// No queue can know these for repeats. That they run shows that all was forgotten indeed.
	if err := l.send(ctx, "when all is forgotten, without an origin", time.Time{}, queue.Accepted, 2); err != nil {
		return err
	}
	r.note("without an origin, and beyond the horizon of %d days, %d ran once more: no queue can know them for repeats", int(ledger.KeepFor.Hours()/24), lateIDs)
	return nil
}

// lateness is the world of F13.
type lateness struct {
	*round
	control
	store *campaign.Store
	clock *clock
	swept *sweptByID
	ids   []queue.ID

	mu   sync.Mutex
	made map[string]int // by key: the remote's log
}

type lateArgs struct {
	N int `json:"n"`
}

var lateKind = twice.Define("prove.late", twice.Policy[lateArgs]{Key: func(a lateArgs) string { return fmt.Sprint(a.N) }, Queue: "prove"})

// send requests every job, runs what was accepted, and counts.
func (l *lateness) send(ctx context.Context, when string, origin time.Time, want queue.Status, effects int) error {
	batch := make([]queue.Job, lateIDs)
	l.ids = l.ids[:0]
	for n := range batch {
		var opts []twice.Option
		if !origin.IsZero() && !l.noOrigin {
			opts = append(opts, twice.From(origin))
		}
		var err error
		if batch[n], err = lateKind.Job(ctx, lateArgs{n}, opts...); err != nil {
			return err
		}
		l.ids = append(l.ids, batch[n].ID)
	}
	receipts, err := l.store.Engine.Enqueue(ctx, batch...)
	if err != nil {
		return err
	}
	accepted, other := 0, 0
	for _, r := range receipts {
		if r.Status == queue.Accepted {
			accepted++
		}
		if r.Status != want {
			other++
		}
	}
	if other > 0 {
		l.broke("%s, %d of %d requests were not %s", when, other, lateIDs, want)
	}
	if err := l.work(ctx); err != nil {
		return err
	}
	l.found.Jobs += accepted
	l.mu.Lock()
	defer l.mu.Unlock()
	more := 0
	for _, n := range l.made {
		more += max(0, n-effects)
	}
	if len(l.made) != lateIDs || more > 0 {
		l.found.Twice += more
		l.broke("%s: %d effects of %d jobs, and %d too many", when, len(l.made), lateIDs, more)
	}
	return nil
}

// work runs a worker until every job has ended.
func (l *lateness) work(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	w := worker.New(l.store.Engine, worker.Config{Concurrency: 50, Logger: slog.New(slog.DiscardHandler)})
	worker.Handle(w, lateKind, l.run)
	look, err := queue.Need[queue.Inspector](l.store.Engine, "prove")
	if err != nil {
		return err
	}
	working, stop := context.WithCancel(ctx)
	over := make(chan error, 1)
	go func() { over <- w.Run(working) }()
	for err == nil {
		var depths []queue.Depth
		if depths, err = look.Depths(ctx, "prove"); err == nil && (len(depths) == 0 || depths[0].Queued+depths[0].Running == 0) {
			break
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	stop()
	return errors.Join(err, <-over)
}

func (l *lateness) run(ctx context.Context, _ twice.Job[lateArgs]) error {
	l.mu.Lock()
	l.found.Starts++
	l.mu.Unlock()
	_, err := ledger.Once(ctx, l.store.Ledger, ledger.Effect[int]{Step: "act", Doubt: ledger.Resend, Do: func(_ context.Context, key string) (int, error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		key, _, _ = cutGeneration(key)
		l.made[key]++
		return l.made[key], nil
	}})
	return err
}
