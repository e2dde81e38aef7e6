package proof

import (
	"context"
	"time"

	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// Outside is what a world is built on: each thing that it gives sees the handler's calls and lets the schedule stand
// before and after each. It lives as long as its world. All methods may be called concurrently.
//
// A call is of the attempt whose context it carries; one that carries none, of the attempt at work.
type Outside struct{ t *trial }

// Now is the engine's clock. It begins with the year 2026 in UTC, and stands still but for what a schedule lets pass:
// leases, backoffs, horizons.
func (o *Outside) Now() time.Time { return o.t.clock.now() }

// Cleanup calls f when the world is done with; the last one given is called first.
func (o *Outside) Cleanup(f func()) {
	o.t.mu.Lock()
	defer o.t.mu.Unlock()
	o.t.cleanups = append(o.t.cleanups, f)
}

// Ledger is the kit's own ledger, in one store with the jobs: for ledger.Once.
func (o *Outside) Ledger() ledger.Store { return &store{o.t.memory.Ledger(), o} }

// Begin begins a transaction of data kept in memory with the kit's own ledger beside them: for ledger.Within.
func (o *Outside) Begin() *Tx { return &Tx{o: o, tx: o.t.memory.Ledger().(*memory.Ledger).Begin()} }

// Jobs takes jobs that the handler enqueues. They are stored and not run.
func (o *Outside) Jobs() queue.Enqueuer { return enqueuer{o} }

// Engine is where the job under proof rests: for Observe, since calls of it are not seen.
func (o *Outside) Engine() queue.Engine { return o.t.engine }

// Beside gives a ledger of the world's own, kept beside its data, as the handler is to use it. The job rests elsewhere:
// the ledger is sealed before the job is dead, and forgets when the jobs are forgotten. World calls it once at most.
func (o *Outside) Beside(own ledger.Store) ledger.Store {
	o.t.store, o.t.apart = own, true
	return &store{own, o}
}

// Within lets the job under proof rest in an engine of the world's own, which keeps the ledger, too. The engine must take its
// time from Now, and have queue.Inspector, queue.Operator and queue.Pruner. World calls it once at most; it gives the ledger as the handler
// is to use it.
func (o *Outside) Within(engine queue.Engine, own ledger.Store) ledger.Store {
	o.t.engine, o.t.store, o.t.apart = engine, own, false
	return &store{own, o}
}

// Apart lets the job under proof rest in an engine of the world's own, as Within does, with a ledger of the world's own beside its
// data, as Beside does. World calls it once at most.
func (o *Outside) Apart(engine queue.Engine, own ledger.Store) ledger.Store {
	o.t.engine = engine
	return o.Beside(own)
}

// Seen gives a ledger of the world's own with its calls seen, and changes nothing else.
func (o *Outside) Seen(own ledger.Store) ledger.Store { return &store{own, o} }

// Call is the function Call, for what is called without the attempt's context.
func (o *Outside) Call(ctx context.Context, name string, act func() error) error {
	return o.named(ctx, call{name: name, effect: true}, act)
}

// Read is the function Read, for what is called without the attempt's context.
func (o *Outside) Read(ctx context.Context, name string, act func() error) error {
	return o.named(ctx, call{name: name}, act)
}

func (o *Outside) named(ctx context.Context, c call, act func() error) error {
	return o.around(ctx, c, func() (string, error) {
		err := act()
		return outcome(err), err
	})
}
