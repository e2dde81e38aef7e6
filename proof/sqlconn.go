package proof

import (
	"context"
	"database/sql/driver"
)

// What database/sql asks of a connection: passed on where the driver has it.

// ExecContext implements [driver.ExecerContext].
func (c *dbConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (result driver.Result, err error) {
	e, ok := c.Conn.(driver.ExecerContext)
	if !ok {
		return nil, driver.ErrSkip // database/sql then prepares, which is seen, too
	}
	err = c.o.around(ctx, c.statement(query), func() (string, error) {
		result, err = e.ExecContext(ctx, query, args)
		return outcome(err), err
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// QueryContext implements [driver.QueryerContext].
func (c *dbConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (rows driver.Rows, err error) {
	q, ok := c.Conn.(driver.QueryerContext)
	if !ok {
		return nil, driver.ErrSkip
	}
	err = c.o.around(ctx, c.statement(query), func() (string, error) {
		rows, err = c.held(ctx, func() (driver.Rows, error) { return q.QueryContext(ctx, query, args) })
		return outcome(err), err
	})
	return closedIf(err, rows)
}

// closedIf gives rows, unless err took them away.
func closedIf(err error, rows driver.Rows) (driver.Rows, error) {
	if err != nil && rows != nil {
		_ = rows.Close()
	}
	if err != nil {
		return nil, err
	}
	return rows, nil
}

// Prepare implements [driver.Conn].
func (c *dbConn) Prepare(query string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), query)
}

// PrepareContext implements [driver.ConnPrepareContext]. It is no point: nothing is run.
func (c *dbConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	var base driver.Stmt
	var err error
	if p, ok := c.Conn.(driver.ConnPrepareContext); ok {
		base, err = p.PrepareContext(ctx, query)
	} else {
		base, err = c.Conn.Prepare(query)
	}
	if err != nil {
		return nil, err
	}
	return &dbStmt{base, c, query}, nil
}

// Ping implements [driver.Pinger].
func (c *dbConn) Ping(ctx context.Context) error {
	if p, ok := c.Conn.(driver.Pinger); ok {
		return p.Ping(ctx)
	}
	return nil
}

// ResetSession implements [driver.SessionResetter].
func (c *dbConn) ResetSession(ctx context.Context) error {
	if r, ok := c.Conn.(driver.SessionResetter); ok {
		return r.ResetSession(ctx)
	}
	return nil
}

// IsValid implements [driver.Validator].
func (c *dbConn) IsValid() bool {
	v, ok := c.Conn.(driver.Validator)
	return !ok || v.IsValid()
}

// CheckNamedValue implements [driver.NamedValueChecker].
func (c *dbConn) CheckNamedValue(v *driver.NamedValue) error {
	if n, ok := c.Conn.(driver.NamedValueChecker); ok {
		return n.CheckNamedValue(v)
	}
	return driver.ErrSkip
}

// dbStmt is a prepared statement.
type dbStmt struct {
	driver.Stmt
	c     *dbConn
	query string
}

// ExecContext implements [driver.StmtExecContext].
func (s *dbStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (result driver.Result, err error) {
	err = s.c.o.around(ctx, s.c.statement(s.query), func() (string, error) {
		if e, ok := s.Stmt.(driver.StmtExecContext); ok {
			result, err = e.ExecContext(ctx, args)
		} else {
			//lint:ignore SA1019 what old drivers have
			result, err = s.Stmt.Exec(plainValues(args))
		}
		return outcome(err), err
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// QueryContext implements [driver.StmtQueryContext].
func (s *dbStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (rows driver.Rows, err error) {
	err = s.c.o.around(ctx, s.c.statement(s.query), func() (string, error) {
		rows, err = s.c.held(ctx, func() (driver.Rows, error) {
			if q, ok := s.Stmt.(driver.StmtQueryContext); ok {
				return q.QueryContext(ctx, args)
			}
			//lint:ignore SA1019 what old drivers have
			return s.Stmt.Query(plainValues(args))
		})
		return outcome(err), err
	})
	return closedIf(err, rows)
}

func plainValues(args []driver.NamedValue) []driver.Value {
	values := make([]driver.Value, len(args))
	for i, a := range args {
		values[i] = a.Value
	}
	return values
}
