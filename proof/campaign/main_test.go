package campaign_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/proof/campaign"
	"github.com/twicehq/twice/queue"
)

var openers = map[string]campaign.Opener{"sqlite": openSQLite, "jumpy": openJumpy, "redis": openRedis, "beside": openBeside, "torn": openTorn}

// TestMain is also the program of every worker process.
func TestMain(m *testing.M) {
	campaign.Main(openers)
	os.Exit(m.Run())
}

var (
	seed = flag.Uint64("seed", 0, "of the campaigns; 0: a new one")
	jobs = flag.Int("jobs", 0, "in TestKillWorkers, TestFreezeWorkers and those on Redis; 0: a number for CI")
)

// sow gives the seed to use: a failure prints it, so that it can be given again.
func sow() uint64 {
	if *seed != 0 {
		return *seed
	}
	return uint64(time.Now().UnixNano()) % 1e9
}

// world is a campaign of the test's own file.
func world(t *testing.T, cfg campaign.Config) campaign.Config {
	t.Helper()
	dir := t.TempDir()
	cfg.Name, cfg.Dir, cfg.URL, cfg.Openers = t.Name(), dir, "sqlite:"+filepath.Join(dir, "campaign.db"), openers
	if cfg.Seed == 0 {
		cfg.Seed = sow()
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = patience()
	}
	t.Cleanup(func() {
		if log, err := os.ReadFile(filepath.Join(dir, "workers.log")); err == nil && t.Failed() {
			t.Logf("workers' log, its end:\n%s", log[max(0, len(log)-8000):])
		}
	})
	return cfg
}

func openSQLite(ctx context.Context, url string) (*campaign.Store, error) {
	return openWith(ctx, strings.TrimPrefix(url, "sqlite:"), sqlite.Config{})
}

func openWith(ctx context.Context, path string, cfg sqlite.Config) (*campaign.Store, error) {
	e, err := sqlite.Open(path, cfg)
	if err != nil {
		return nil, err
	}
	err = e.Atomically(ctx, func(ctx context.Context, tx queue.SQL) error {
		_, err := tx.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS campaign_row(job TEXT NOT NULL, token INTEGER NOT NULL)")
		return err
	})
	if err != nil {
		_ = e.Close()
		return nil, err
	}
	return &campaign.Store{Engine: e, Ledger: e.Ledger(), Data: table{e}}, nil
}

// table is the application's data in the engine's file.
type table struct{ e *sqlite.Engine }

func (d table) Transact(ctx context.Context, fn func(context.Context, campaign.Tx) error) error {
	return d.e.Atomically(ctx, func(ctx context.Context, tx queue.SQL) error {
		return fn(ctx, campaign.Tx{Ledger: d.e.Ledger().In(tx), Jobs: d.e.In(tx), Insert: func(ctx context.Context, r campaign.Row) error {
			_, err := tx.ExecContext(ctx, "INSERT INTO campaign_row(job, token) VALUES (?, ?)", r.Job.String(), r.Token)
			return err
		}})
	})
}

func (d table) Rows(ctx context.Context, each func(campaign.Row)) error {
	rows, err := d.e.DB().QueryContext(ctx, "SELECT job, token FROM campaign_row")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var job string
		var r campaign.Row
		if err := rows.Scan(&job, &r.Token); err != nil {
			return err
		}
		if r.Job, err = queue.ParseID(job); err != nil {
			return err
		}
		each(r)
	}
	return rows.Err()
}
