package ground

import (
	"context"
	"strings"
	"time"

	"github.com/twicehq/twice/driver/redis"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/proof/campaign"
	"github.com/twicehq/twice/queue"
)

func openRedis(ctx context.Context, url string) (*campaign.Store, error) {
	return redisStore(ctx, url, nil)
}

// redisStore opens an engine, its ledger, and data on the same server.
func redisStore(ctx context.Context, url string, now func() time.Time) (*campaign.Store, error) {
	server, prefix, err := split(url)
	if err != nil {
		return nil, err
	}
	e, err := redis.Open(ctx, server, redis.Config{Prefix: prefix, Now: now})
	if err != nil {
		return nil, err
	}
	rows, err := newRows(server, prefix)
	if err != nil {
		_ = e.Close()
		return nil, err
	}
	return &campaign.Store{Engine: e, Ledger: e.Ledger(), Data: &list{rows: rows, jobs: e, ledger: e.Ledger()}}, nil
}

// openBeside opens a ledger and data that know nothing of the jobs, as where these are kept elsewhere.
func openBeside(ctx context.Context, name string) (*campaign.Store, error) {
	store, err := openRedis(ctx, strings.TrimPrefix(name, "beside:"))
	if err != nil {
		return nil, err
	}
	server, prefix, err := split(strings.TrimPrefix(name, "beside:"))
	if err == nil {
		var l *redis.Ledger
		if l, err = redis.OpenLedger(ctx, server, redis.Config{Prefix: prefix}); err == nil {
			store.Ledger, store.Seals = l, true
			store.Data.(*list).jobs, store.Data.(*list).ledger = nil, l
			return store, nil
		}
	}
	_ = store.Close()
	return nil, err
}

// openTorn opens data whose rows are made before their records.
func openTorn(ctx context.Context, name string) (*campaign.Store, error) {
	store, err := openRedis(ctx, strings.TrimPrefix(name, "torn:"))
	if err == nil {
		store.Data.(*list).torn = true
	}
	return store, err
}

// list is the application's data: a list, which allows doubles.
type list struct {
	*rows
	jobs   *redis.Engine // nil: elsewhere
	ledger *redis.Ledger
	torn   bool // a row does not wait for its record
}

// recording counts what is recorded in a transaction of the ledger.
type recording struct {
	*redis.LedgerTx
	n int
}

func (r *recording) Record(ctx context.Context, try ledger.Try, result []byte) error {
	r.n++
	return r.LedgerTx.Record(ctx, try, result)
}

// settling counts what is settled in one of the engine.
type settling struct {
	queue.Tx
	n int
}

func (s *settling) Settle(ctx context.Context, ends ...queue.Settlement) ([]error, error) {
	errs, err := s.Tx.Settle(ctx, ends...)
	for _, refused := range errs {
		if refused == nil {
			s.n++
		}
	}
	return errs, err
}

// Transact commits a row in one script with the record or the settlement that is made beside it. With neither, as a
// control makes it, it is only a row.
func (d *list) Transact(ctx context.Context, fn func(context.Context, campaign.Tx) error) error {
	record, settle := &recording{LedgerTx: d.ledger.Begin()}, &settling{}
	const push = "redis.call('RPUSH', KEYS[1], ARGV[1])"
	var row []string
	tx := campaign.Tx{Ledger: record, Insert: func(ctx context.Context, r campaign.Row) error {
		row = []string{written(r)}
		if d.torn {
			defer time.Sleep(20 * time.Millisecond) // so that many are between the two at any moment
			return d.push(ctx, &row)
		}
		return nil
	}}
	var both *redis.Tx
	if d.jobs != nil {
		both = d.jobs.Begin()
		settle.Tx = d.jobs.In(both)
		tx.Jobs = settle
	}
	if err := fn(ctx, tx); err != nil {
		return err
	}
	switch {
	case row == nil && settle.n > 0:
		return both.Commit(ctx)
	case row == nil:
		return record.Commit(ctx)
	case settle.n > 0:
		both.Change(push, []string{d.key}, row...)
		return both.Commit(ctx)
	case record.n > 0:
		record.Change(push, []string{d.key}, row...)
		return record.Commit(ctx)
	}
	return d.push(ctx, &row)
}
