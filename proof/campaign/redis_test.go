package campaign_test

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/driver/redis"
	"github.com/twicehq/twice/internal/redistest"
	"github.com/twicehq/twice/internal/redistest/server"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/proof/campaign"
	"github.com/twicehq/twice/queue"
)

// redisWorld is a campaign on a server of the test's own, which syncs each write before it answers.
func redisWorld(t *testing.T, cfg campaign.Config) (campaign.Config, *redistest.Server) {
	t.Helper()
	return redisWorldOn(t, redistest.Options{Persistence: redistest.Always}, cfg)
}

func redisWorldOn(t *testing.T, o redistest.Options, cfg campaign.Config) (campaign.Config, *redistest.Server) {
	t.Helper()
	s := redistest.Start(t, o)
	cfg = world(t, cfg)
	cfg.URL = s.URL()
	return cfg, s
}

// openRedis opens an engine, its ledger, and data on the same server.
func openRedis(ctx context.Context, url string) (*campaign.Store, error) {
	e, err := redis.Open(ctx, url, redis.Config{})
	if err != nil {
		return nil, err
	}
	return &campaign.Store{Engine: e, Ledger: e.Ledger(), Data: &list{url: url, jobs: e, ledger: e.Ledger()}}, nil
}

// openBeside opens a ledger and data that know nothing of the jobs, as where these are kept elsewhere.
func openBeside(ctx context.Context, name string) (*campaign.Store, error) {
	url := strings.TrimPrefix(name, "beside:")
	e, err := redis.Open(ctx, url, redis.Config{})
	if err != nil {
		return nil, err
	}
	l, err := redis.OpenLedger(ctx, url, redis.Config{})
	if err != nil {
		_ = e.Close()
		return nil, err
	}
	return &campaign.Store{Engine: e, Ledger: l, Data: &list{url: url, ledger: l}, Seals: true}, nil
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
	url    string
	jobs   *redis.Engine // nil: elsewhere
	ledger *redis.Ledger
	torn   bool // a row does not wait for its record
}

const rowsKey = "campaign:rows"

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
	tx := campaign.Tx{Ledger: record, Insert: func(_ context.Context, r campaign.Row) error {
		row = []string{fmt.Sprintf("%s %d", r.Job, r.Token)}
		if d.torn {
			defer time.Sleep(20 * time.Millisecond) // so that many are between the two at any moment
			return d.push(&row)
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
		both.Change(push, []string{rowsKey}, row...)
		return both.Commit(ctx)
	case record.n > 0:
		record.Change(push, []string{rowsKey}, row...)
		return record.Commit(ctx)
	}
	return d.push(&row)
}

// push makes a row by itself, and takes it away from those to be made.
func (d *list) push(row *[]string) error {
	_, err := d.do(append([]string{"RPUSH", rowsKey}, *row...)...)
	*row = nil
	return err
}

func (d *list) Rows(_ context.Context, each func(campaign.Row)) error {
	all, err := d.do("LRANGE", rowsKey, "0", "-1")
	if err != nil {
		return err
	}
	rows, _ := all.([]any)
	for _, text := range rows {
		job, token, _ := strings.Cut(server.Text(text), " ")
		var r campaign.Row
		if r.Job, err = queue.ParseID(job); err != nil {
			return err
		}
		if r.Token, err = strconv.ParseInt(token, 10, 64); err != nil {
			return err
		}
		each(r)
	}
	return nil
}

func (d *list) do(args ...string) (any, error) {
	u, err := url.Parse(d.url)
	if err != nil {
		return nil, err
	}
	c, err := server.Dial(u.Host)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return c.Do(args...)
}
