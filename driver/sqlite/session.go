package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"

	"github.com/twicehq/twice/queue"
)

// session runs statements inside one transaction. Its values are int64, float64, string, []byte and
// nil; what each gets is valid only during the call.
type session interface {
	exec(query string, args ...driver.Value) (changed int64, err error)
	query(query string, each func(row []driver.Value) error, args ...driver.Value) error
}

// prepared is the session of the engine's own connection: it goes below database/sql, whose
// bookkeeping would cost as much as the statement, and prepares each statement once.
type prepared struct {
	conn       driver.Conn
	statements map[string]driver.Stmt
	named      []driver.NamedValue
	row        []driver.Value
}

func newPrepared(conn driver.Conn) *prepared {
	return &prepared{conn: conn, statements: map[string]driver.Stmt{}, row: make([]driver.Value, 48)}
}

func (p *prepared) close() {
	for _, s := range p.statements {
		s.Close()
	}
	clear(p.statements)
}

// detached: a statement in the middle of a commit of many callers must not be interrupted by one.
var detached = context.Background()

func (p *prepared) statement(query string) (driver.Stmt, error) {
	if s, ok := p.statements[query]; ok {
		return s, nil
	}
	var s driver.Stmt
	var err error
	if c, ok := p.conn.(driver.ConnPrepareContext); ok {
		s, err = c.PrepareContext(detached, query)
	} else {
		s, err = p.conn.Prepare(query)
	}
	if err == nil {
		p.statements[query] = s
	}
	return s, err
}

func (p *prepared) bind(args []driver.Value) []driver.NamedValue {
	p.named = p.named[:0]
	for i, v := range args {
		p.named = append(p.named, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	return p.named
}

func (p *prepared) exec(query string, args ...driver.Value) (int64, error) {
	s, err := p.statement(query)
	if err != nil {
		return 0, err
	}
	result, err := s.(driver.StmtExecContext).ExecContext(detached, p.bind(args))
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (p *prepared) query(query string, each func(row []driver.Value) error, args ...driver.Value) error {
	s, err := p.statement(query)
	if err != nil {
		return err
	}
	rows, err := s.(driver.StmtQueryContext).QueryContext(detached, p.bind(args))
	if err != nil {
		return err
	}
	// Callbacks may run other queries: each level has a row of its own.
	row := p.row
	p.row = nil
	if need := len(rows.Columns()); cap(row) < need {
		row = make([]driver.Value, need)
	} else {
		row = row[:need]
	}
	for {
		if err = rows.Next(row); err != nil {
			break
		}
		if err = each(row); err != nil {
			break
		}
	}
	p.row = row[:0]
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if closing := rows.Close(); err == nil { // after an error it says the same again
		err = closing
	}
	return err
}

// joined is the session of a transaction of the caller's own.
type joined struct {
	ctx context.Context
	tx  queue.SQL
}

func (j joined) exec(query string, args ...driver.Value) (int64, error) {
	result, err := j.tx.ExecContext(j.ctx, query, plain(args)...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (j joined) query(query string, each func(row []driver.Value) error, args ...driver.Value) error {
	rows, err := j.tx.QueryContext(j.ctx, query, plain(args)...)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	// All rows first: a transaction has one connection, and each may query it.
	var all [][]driver.Value
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		row := make([]driver.Value, len(columns))
		for i, v := range values {
			row[i] = v
		}
		all = append(all, row)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	for _, row := range all {
		if err := each(row); err != nil {
			return err
		}
	}
	return nil
}

func plain(args []driver.Value) []any {
	out := make([]any, len(args))
	for i, v := range args {
		out[i] = v
	}
	return out
}

// one gives the first value of the first row; nil where there is none.
func one(s session, query string, args ...driver.Value) (v driver.Value, err error) {
	err = s.query(query, func(row []driver.Value) error {
		v = row[0]
		if b, ok := v.([]byte); ok {
			v = bytesOf(b) // what a row gives is its driver's
		}
		return nil
	}, args...)
	return v, err
}
