// Package river adapts River on SQLite (riversqlite, modernc.org/sqlite, synchronous=FULL).
package river

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/twicehq/twice/bench/peer"
	"github.com/twicehq/twice/internal/loadtest"
)

// Info is River at its quickest on SQLite: see settings.go.
var Info = peer.Info{
	Name:       "river-sqlite",
	About:      "River " + version + " on SQLite (modernc), poll-only, tuned",
	Durability: "fsync every commit (WAL, FULL)",
	Workers:    []int{200, 1000},
	Open:       open,
}

type queue struct {
	db     *sql.DB
	driver *riversqlite.Driver
	insert *river.Client[*sql.Tx] // works no jobs
}

func open(ctx context.Context, dir string, mode peer.Mode) (peer.Peer, error) {
	db, err := sql.Open("sqlite", dsn(filepath.Join(dir, "river.db"), mode))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	q := &queue{db: db, driver: riversqlite.New(db)}
	if err := q.prepare(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return q, nil
}

func (q *queue) prepare(ctx context.Context) error {
	m, err := rivermigrate.New(q.driver, &rivermigrate.Config{Logger: silent})
	if err != nil {
		return err
	}
	if _, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return err
	}
	if err := peer.CreateAccounts(ctx, q.db); err != nil {
		return err
	}
	// One notification a second: the workers poll, and each notification would be a row more.
	q.insert, err = river.NewClient(q.driver, &river.Config{
		Logger: silent, FetchCooldown: time.Second, FetchPollInterval: time.Second,
	})
	return err
}

func (q *queue) Enqueue(ctx context.Context, id int64) error {
	_, err := q.insert.Insert(ctx, args{loadtest.MakeArgs(id)}, nil)
	return err
}

func (q *queue) EnqueueBulk(ctx context.Context, ids []int64) error { return q.many(ctx, ids, nil) }

func (q *queue) EnqueueCold(ctx context.Context, ids []int64) error {
	return q.many(ctx, ids, &river.InsertOpts{Queue: "rest"})
}

func (q *queue) many(ctx context.Context, ids []int64, opts *river.InsertOpts) error {
	jobs := make([]river.InsertManyParams, len(ids))
	for i, id := range ids {
		jobs[i] = river.InsertManyParams{Args: args{loadtest.MakeArgs(id)}, InsertOpts: opts}
	}
	_, err := q.insert.InsertManyFast(ctx, jobs)
	return err
}

func (q *queue) Pending(ctx context.Context) (n int64, err error) {
	err = q.db.QueryRowContext(ctx,
		`SELECT count(*) FROM river_job WHERE state IN ('available', 'running') AND queue = 'default'`).Scan(&n)
	return n, err
}

func (q *queue) Effects(ctx context.Context) (n int64, err error) {
	err = q.db.QueryRowContext(ctx, peer.Balances).Scan(&n)
	return n, err
}

func (q *queue) Close() error { return q.db.Close() }

func dsn(file string, mode peer.Mode) string {
	sync := "FULL"
	if mode == peer.Filling {
		sync = "OFF"
	}
	return fmt.Sprintf("file:%s?_pragma=journal_mode(WAL)&_pragma=synchronous(%s)&_pragma=busy_timeout(10000)"+
		"&_pragma=cache_size(-%d)&_txlock=immediate", file, sync, cacheKiB)
}

var silent = slog.New(slog.DiscardHandler)
