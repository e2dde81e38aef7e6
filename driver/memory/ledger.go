package memory

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// LedgerConfig sets a ledger up. Zero fields mean the defaults of their comments.
type LedgerConfig struct {
	Now     func() time.Time // time.Now
	KeepFor time.Duration    // ledger.KeepFor: how far the mark stays behind the clock
	// Under runs a guarded write while the lease is held, as one step with whatever could replace or end
	// it, and fails with ErrLeaseLost where it is not held: jobs and ledger in one store. nil: the ledger
	// stands by itself, and seal and mark are its fence.
	Under func(lease queue.Lease, write func() error) error
}

// Ledger is a [ledger.Store] in memory, and what the contract means, as one can read it. All that it
// holds is behind one lock, so each method is one transaction. The zero Ledger cannot be used.
type Ledger struct {
	config LedgerConfig
	clock  *steady

	mu   sync.Mutex
	mark time.Time
	jobs map[queue.ID]*effects
}

// effects is what the ledger holds of one job.
type effects struct {
	steps  map[string]*effect
	sealed bool
	seal   int64
	sealAt time.Time
}

// effect is an entry, and which try may still withdraw it.
type effect struct {
	ledger.Entry
	alone ledger.TryID // the try that wrote the pending entry, until any other sees it; then zero
}

var _ ledger.Store = (*Ledger)(nil)

// NewLedger makes an empty ledger.
func NewLedger(config LedgerConfig) *Ledger {
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.KeepFor == 0 {
		config.KeepFor = ledger.KeepFor
	}
	return &Ledger{config: config, clock: &steady{host: config.Now}, jobs: map[queue.ID]*effects{}}
}

func (l *Ledger) now() time.Time { return l.clock.now() }

// job gives what is held of a job, to be written to.
func (l *Ledger) job(id queue.ID) *effects {
	if l.jobs[id] == nil {
		l.jobs[id] = &effects{steps: map[string]*effect{}}
	}
	return l.jobs[id]
}

// find gives an entry; nil where there is none.
func (l *Ledger) find(key ledger.Key) *effect {
	if j := l.jobs[key.Job]; j != nil {
		return j.steps[key.Step]
	}
	return nil
}

// guarded runs write unless the try is refused: check and write are one step.
func (l *Ledger) guarded(ctx context.Context, op string, try ledger.Try, write func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	locked := func() error {
		l.mu.Lock()
		defer l.mu.Unlock()
		if err := l.refusal(op, try); err != nil {
			return err
		}
		return write()
	}
	if l.config.Under != nil {
		return l.config.Under(try.Lease, locked)
	}
	return locked()
}

// refusal says why a try makes no effect any more: its job was sealed, or is too old.
func (l *Ledger) refusal(op string, try ledger.Try) error {
	if j := l.jobs[try.Lease.Job.ID]; j != nil && j.sealed && try.Lease.Token <= j.seal {
		return ledger.RefuseSealed(op, try, j.seal)
	}
	if !l.mark.IsZero() && !try.Lease.FreshAt.After(l.mark) {
		return ledger.RefuseStale(op, try, l.mark)
	}
	return nil
}

// see leaves a try's token and freshness on an entry: it is not swept under that try's feet.
func (e *effect) see(try ledger.Try) {
	e.Token = max(e.Token, try.Lease.Token)
	if try.Lease.FreshAt.After(e.FreshAt) {
		e.FreshAt = try.Lease.FreshAt
	}
}

// answer is the entry as it stands, in bytes of the caller's own.
func (l *Ledger) answer(e *effect, try ledger.Try) ledger.Entry {
	out := e.Entry
	out.Result = slices.Clone(e.Result)
	out.Now = l.now()
	out.Mine = e.State == ledger.Pending && e.alone == try.ID && !isZero(e.alone)
	return out
}

func isZero(id ledger.TryID) bool { return id == ledger.TryID{} }
