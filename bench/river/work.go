package river

import (
	"context"
	"database/sql"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riversqlite"

	"github.com/twicehq/twice/bench/peer"
	"github.com/twicehq/twice/internal/loadtest"
)

type args struct{ loadtest.Args }

func (args) Kind() string { return "bench" }

// Start works jobs that do nothing.
func (q *queue) Start(ctx context.Context, workers int, ran func()) (func() error, error) {
	return q.start(ctx, workers, func(context.Context, *river.Job[args]) error {
		ran()
		return nil
	})
}

// StartEffects works jobs by River's own recipe: the change and JobCompleteTx in one transaction.
func (q *queue) StartEffects(ctx context.Context, workers int, ran func()) (func() error, error) {
	return q.start(ctx, workers, func(ctx context.Context, job *river.Job[args]) error {
		if err := q.credit(ctx, job); err != nil {
			return err
		}
		ran()
		return nil
	})
}

func (q *queue) credit(ctx context.Context, job *river.Job[args]) error {
	id, err := job.Args.Number()
	if err != nil {
		return err
	}
	tx, err := q.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, peer.Credit, peer.Account(id)); err != nil {
		return err
	}
	if _, err := river.JobCompleteTx[*riversqlite.Driver, *sql.Tx](ctx, tx, job); err != nil {
		return err
	}
	return tx.Commit()
}

func (q *queue) start(ctx context.Context, workers int, work func(context.Context, *river.Job[args]) error) (func() error, error) {
	all := river.NewWorkers()
	river.AddWorker(all, river.WorkFunc(work))
	client, err := river.NewClient(q.driver, &river.Config{
		Logger: silent, Workers: all,
		Queues:        map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: workers}},
		FetchCooldown: cooldown, FetchPollInterval: poll, PollOnly: true,
	})
	if err != nil {
		return nil, err
	}
	if err := client.Start(ctx); err != nil {
		return nil, err
	}
	return func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
		defer cancel()
		return client.Stop(ctx)
	}, nil
}
