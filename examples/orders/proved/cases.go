package proved

import (
	"context"
	"errors"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/examples/orders/jobs"
	"github.com/twicehq/twice/proof"
	"github.com/twicehq/twice/queue"
)

// Place is where jobs, ledger and tables are.
type Place struct {
	name string
	// open opens the engine of the jobs for one world, on its clock; nil: they are in the tables' database.
	open      func(now func() time.Time) (queue.Engine, error)
	beside    bool // the jobs are on the kit's own engine
	ledgerOff bool
}

func (p Place) String() string { return p.name }

// The places that there are.
var (
	Within    = Place{name: "in one SQLite file"}                                     // with tables and ledger
	Beside    = Place{name: "jobs in memory, ledger beside the tables", beside: true} // on another engine, in memory
	LedgerOff = Place{name: "with the ledger off", ledgerOff: true}                   // within, and no ledger: the control
)

// On has the jobs on an engine that open opens anew for each world, with the world's clock. The ledger is beside the tables.
func On(name string, open func(now func() time.Time) (queue.Engine, error)) Place {
	return Place{name: "jobs on " + name + ", ledger beside the tables", open: open}
}

var (
	kinds   = jobs.Define(jobs.Policy{})
	compare = time.Date(2026, time.January, 1, 1, 0, 0, 0, time.UTC) // after all charges
)

// Charge is the case of a charge.
func Charge(where Place) proof.Case[jobs.Charge, *World] {
	return proof.Case[jobs.Charge, *World]{
		World: func(o *proof.Outside) (*World, error) {
			w, err := newWorld(o, where)
			return w, errors.Join(err, w.place())
		},
		Kind: kinds.Charge, Args: jobs.Charge{OrderID: adasOrder}, Observe: (*World).look, Books: (*World).books,
		Handle: func(w *World, ctx context.Context, job twice.Job[jobs.Charge]) error {
			return w.app.Processors.Charge(ctx, job)
		},
	}
}

// Receipt is the case of a receipt: a mail, of which nobody can tell after a crash whether it was sent.
func Receipt(where Place) proof.Case[jobs.Receipt, *World] {
	return proof.Case[jobs.Receipt, *World]{
		World: func(o *proof.Outside) (*World, error) {
			w, err := newWorld(o, where)
			return w, errors.Join(err, w.place(), w.charge())
		},
		Kind: kinds.Receipt, Args: jobs.Receipt{OrderID: adasOrder}, Observe: (*World).look, Truth: (*World).sent,
		Handle: func(w *World, ctx context.Context, job twice.Job[jobs.Receipt]) error {
			return w.app.Processors.Receipt(ctx, job)
		},
	}
}

// Reconcile is the case of a comparison with the gateway, which has a charge that our books do not.
func Reconcile(where Place) proof.Case[jobs.Reconcile, *World] {
	return proof.Case[jobs.Reconcile, *World]{
		World: func(o *proof.Outside) (*World, error) {
			w, err := newWorld(o, where)
			return w, errors.Join(err, w.place(), w.charge(), w.stray())
		},
		Kind: kinds.Reconcile, Args: jobs.Reconcile{Due: compare}, Observe: (*World).look,
		Handle: func(w *World, ctx context.Context, job twice.Job[jobs.Reconcile]) error {
			return w.app.Processors.Reconcile(ctx, job)
		},
	}
}
