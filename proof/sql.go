package proof

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"strings"
	"sync"
)

// Connector sees every statement and commit of a database, whatever its driver: for sql.OpenDB. A statement is told by
// its first words; SELECT counts as changing nothing. Begin and Rollback are no points.
//
// Where an attempt crashes, its transactions under way are rolled back, as the database does when a process's connections
// break. The connection itself is lost to the pool: a pool with a limit is to be opened in Case.Start.
func (o *Outside) Connector(base driver.Connector) driver.Connector { return &connector{base, o} }

// DB opens a database of a registered driver through Connector, and closes it when the world is done with. It fails as sql.Open does.
func (o *Outside) DB(name, source string) (*sql.DB, error) {
	plain, err := sql.Open(name, source)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(o.Connector(named{plain.Driver(), source}))
	o.Cleanup(func() { _, _ = db.Close(), plain.Close() })
	return db, nil
}

// named is a driver with a data source, for drivers of either sort.
type named struct {
	d      driver.Driver
	source string
}

func (n named) Connect(ctx context.Context) (driver.Conn, error) {
	if d, ok := n.d.(driver.DriverContext); ok {
		c, err := d.OpenConnector(n.source)
		if err != nil {
			return nil, err
		}
		return c.Connect(ctx)
	}
	return n.d.Open(n.source)
}
func (n named) Driver() driver.Driver { return n.d }

type connector struct {
	base driver.Connector
	o    *Outside
}

// Connect implements [driver.Connector].
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	base, err := c.base.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &dbConn{Conn: base, o: c.o}, nil
}

// Driver implements [driver.Connector].
func (c *connector) Driver() driver.Driver { return c.base.Driver() }

// dbConn is a connection, with the transaction under way on it.
type dbConn struct {
	driver.Conn
	o *Outside

	mu sync.Mutex
	tx *dbTx
}

// statement tells a call that runs one.
func (c *dbConn) statement(query string) call {
	text := strings.Join(strings.Fields(query), " ")
	first, _, _ := strings.Cut(strings.ToUpper(text), " ")
	effect := first != "SELECT" && first != "PRAGMA" && first != "EXPLAIN"
	return call{name: "SQL " + short(text, 60), effect: effect, soft: true, later: c.pending}
}

// pending keeps a call until its transaction ends: it counts only once that commits.
func (c *dbConn) pending(m *made) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tx != nil {
		c.tx.made = append(c.tx.made, m)
		m.undone = true
	}
}
