package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"flag"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"
	ncruces "github.com/ncruces/go-sqlite3/driver"
	modern "modernc.org/sqlite"

	"github.com/twicehq/twice/queue"
)

var restFlag = flag.Int("rest", part(15_000, 5000), "jobs done, and as many in the future, for case 14")

// stepsTaken counts the steps of SQLite's virtual machine, in statements run by the driver that counts.
var stepsTaken atomic.Int64

type countingDriver struct{ ncruces.SQLite }

func (d *countingDriver) Open(name string) (driver.Conn, error) {
	c, err := d.SQLite.Open(name)
	if err != nil {
		return nil, err
	}
	return c, c.(ncruces.Conn).Raw().Trace(sqlite3.TRACE_PROFILE, func(_ sqlite3.TraceEvent, stmt, _ any) error {
		stepsTaken.Add(int64(stmt.(*sqlite3.Stmt).Status(sqlite3.STMTSTATUS_VM_STEP, true)))
		return nil
	})
}

// OpenConnector hides that of the driver below, which would not count.
func (d *countingDriver) OpenConnector(name string) (driver.Connector, error) {
	return connector{d, name}, nil
}

type connector struct {
	d    *countingDriver
	name string
}

func (c connector) Connect(context.Context) (driver.Conn, error) { return c.d.Open(c.name) }
func (c connector) Driver() driver.Driver                        { return c.d }

func ncrucesCode(err error) int {
	var e sqlite3.ExtendedErrorCode
	if errors.As(err, &e) {
		return int(e)
	}
	return 0
}

func init() { sql.Register("sqlite3-counting", &countingDriver{}) }

// Case 14, a million at rest: the steps that a claim, an overview, an enqueue and an end take.
func TestCase14AtRest(t *testing.T) { // not parallel: the steps of others would be counted
	e := open(t, Config{through: technology{driver: "sqlite3-counting", code: ncrucesCode, dsn: func(path string, pragmas ...string) string {
		return dsn(path, append(pragmas, "synchronous(OFF)")...)
	}}})
	ready := 0
	cost := func() map[string]int64 {
		// The changes of the counts are added up every so many commits: be at the same place of that.
		must(t, e.write(ctx, "fold", phaseOther, func(t *txn) error { return fold(t.s) }))
		c := map[string]int64{}
		count := func(what string, fn func()) {
			before := stepsTaken.Load()
			fn()
			c[what] = stepsTaken.Load() - before
		}
		ready += 10
		count("enqueue", func() { accept(t, e, jobs(1_000_000_000+ready, 10)...) })
		var leases []queue.Lease
		count("claim", func() { leases = claim(t, e, 10) })
		count("claim of nothing", func() { claim(t, e, 10) })
		count("depths", func() {
			_, err := e.Depths(ctx)
			must(t, err)
		})
		ends := make([]queue.Settlement, len(leases))
		for i, l := range leases {
			ends[i] = done(l)
		}
		count("end", func() { settle(t, e, ends...) })
		count("prune of nothing", func() {
			_, err := e.Prune(ctx, 1000)
			must(t, err)
		})
		return c
	}
	cost()
	empty := cost()
	n := *restFlag
	const batch = 5000
	for i := 0; i < n; i += batch {
		accept(t, e, jobs(i, batch)...)
		drain(t, e)
		accept(t, e, jobs(100_000_000+i, batch, func(j *queue.Job) { j.RunAt = time.Now().Add(1000 * time.Hour) })...)
	}
	cost() // it may seal ids
	full := cost()
	t.Logf("%d done and %d in the future: %v steps; in an empty store: %v", n, n, full, empty)
	for what, is := range full {
		if was := empty[what]; is > 2*was {
			t.Errorf("%s takes %d steps beside %d at rest, %d in an empty store", what, is, 2*n, was)
		}
	}
	if d, err := e.Depths(ctx); err != nil || d[0].Waiting.N != min(n, queue.MaxSeen) {
		t.Errorf("%+v, %v", d, err)
	}
}

// Worked implements queuetest.Working: the pages that the driver in use has looked at.
func (e tested) Worked() (n int64) {
	e.t.Helper()
	count := func(c *sql.Conn) {
		must(e.t, c.Raw(func(c any) error {
			for _, op := range []modern.DBStatusOp{modern.DBStatusCacheHit, modern.DBStatusCacheMiss} {
				current, _, err := c.(modern.DBStatus).Status(op, false)
				if err != nil {
					return err
				}
				n += int64(current)
			}
			return nil
		}))
	}
	must(e.t, e.Atomically(ctx, func(_ context.Context, tx queue.SQL) error { count(tx.(*grouped).conn); return nil }))
	e.readers.SetMaxOpenConns(1) // one connection, so that none is left out
	c, err := e.readers.Conn(ctx)
	must(e.t, err)
	count(c)
	must(e.t, c.Close())
	return n
}
