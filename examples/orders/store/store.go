package store

import (
	"context"
	"database/sql"
	"errors"

	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// Engine is what the tables need of the engine whose file they live in; *sqlite.Engine is one.
type Engine interface {
	queue.Transactor[queue.SQL]
	// DB is a pool of connections to the file.
	DB() *sql.DB
	// Atomically runs do in a transaction that shares its commit with others; do may be run again.
	Atomically(ctx context.Context, do func(ctx context.Context, tx queue.SQL) error) error
}

// DB is the application's database. Safe for concurrent use.
type DB struct {
	engine Engine
	joins  Joins
}

// Joins says what takes part in the tables' transactions.
type Joins struct {
	Effects func(queue.SQL) ledger.Tx // joins the ledger to a transaction
	// Elsewhere, where the jobs are worked on another engine, makes of what enqueues beside the tables what leaves
	// jobs to be forwarded; nil: the tables' engine works them.
	Elsewhere func(queue.Enqueuer) queue.Enqueuer
	// Enqueuer is put around what enqueues, to count or to trace; nil: nothing is.
	Enqueuer func(queue.Enqueuer) queue.Enqueuer
}

var _ service.Database = (*DB)(nil)

// Open brings the tables up to date and gives the database. It fails on tables of a newer program than this one.
func Open(ctx context.Context, engine Engine, joins Joins) (*DB, error) {
	if err := migrate(ctx, engine.DB()); err != nil {
		return nil, err
	}
	return &DB{engine: engine, joins: joins}, nil
}

// Change implements [service.Database].
func (db *DB) Change(ctx context.Context, do func(context.Context, service.Tx) error) error {
	return db.engine.Atomically(ctx, func(ctx context.Context, sql queue.SQL) error {
		return do(ctx, db.tx(sql, db.engine.In(sql)))
	})
}

func (db *DB) tx(sql queue.SQL, jobs queue.Enqueuer) *tx {
	if db.joins.Elsewhere != nil {
		jobs = db.joins.Elsewhere(jobs)
	}
	if db.joins.Enqueuer != nil {
		jobs = db.joins.Enqueuer(jobs)
	}
	return &tx{sql: sql, jobs: jobs, effects: db.joins.Effects(sql)}
}

// Finish implements [service.Database]: where the job is in this database it is settled in the same transaction.
func (db *DB) Finish(ctx context.Context, do func(context.Context, service.Tx) error) error {
	holding, ok := queue.HoldingFrom(ctx)
	if !ok {
		return &queue.Error{Op: "finish", Reason: queue.ErrInvalid, Detail: "its context belongs to no attempt of a job",
			Remedy: "pass on the context that the handler was given"}
	}
	if db.joins.Elsewhere != nil {
		return db.Change(ctx, do)
	}
	err := db.engine.Atomically(ctx, func(ctx context.Context, sql queue.SQL) error {
		jobs := db.engine.In(sql)
		if err := do(ctx, db.tx(sql, jobs)); err != nil {
			return err
		}
		refused, err := jobs.Settle(ctx, queue.Settlement{Lease: holding.Lease, State: queue.Done, Outcome: queue.OutcomeDone})
		return errors.Join(append(refused, err)...)
	})
	if err == nil {
		holding.MarkSettled()
	}
	return err
}
