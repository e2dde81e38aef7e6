package proof

import (
	"context"
	"database/sql/driver"
	"io"
	"reflect"
	"sync"
)

// dbRows is what a statement gives. It is closed once: by its reader, or when the attempt that reads it crashes, since a
// database holds locks for what is read.
type dbRows struct {
	driver.Rows
	once sync.Once
	err  error
}

// held runs a query for the attempt that ctx belongs to.
func (c *dbConn) held(ctx context.Context, query func() (driver.Rows, error)) (driver.Rows, error) {
	base, err := query()
	if err != nil {
		return nil, err
	}
	rows := &dbRows{Rows: base}
	if a := c.o.t.attemptOf(ctx); a != nil {
		c.o.t.onDeath(a, func() { _ = rows.Close() })
	}
	return rows, nil
}

// Close implements [driver.Rows].
func (r *dbRows) Close() error {
	r.once.Do(func() { r.err = r.Rows.Close() })
	return r.err
}

// HasNextResultSet implements [driver.RowsNextResultSet].
func (r *dbRows) HasNextResultSet() bool {
	n, ok := r.Rows.(driver.RowsNextResultSet)
	return ok && n.HasNextResultSet()
}

// NextResultSet implements [driver.RowsNextResultSet].
func (r *dbRows) NextResultSet() error {
	if n, ok := r.Rows.(driver.RowsNextResultSet); ok {
		return n.NextResultSet()
	}
	return io.EOF
}

// ColumnTypeScanType implements [driver.RowsColumnTypeScanType].
func (r *dbRows) ColumnTypeScanType(i int) reflect.Type {
	if c, ok := r.Rows.(driver.RowsColumnTypeScanType); ok {
		return c.ColumnTypeScanType(i)
	}
	return reflect.TypeFor[any]()
}

// ColumnTypeDatabaseTypeName implements [driver.RowsColumnTypeDatabaseTypeName].
func (r *dbRows) ColumnTypeDatabaseTypeName(i int) string {
	if c, ok := r.Rows.(driver.RowsColumnTypeDatabaseTypeName); ok {
		return c.ColumnTypeDatabaseTypeName(i)
	}
	return ""
}

// ColumnTypeLength implements [driver.RowsColumnTypeLength].
func (r *dbRows) ColumnTypeLength(i int) (int64, bool) {
	if c, ok := r.Rows.(driver.RowsColumnTypeLength); ok {
		return c.ColumnTypeLength(i)
	}
	return 0, false
}

// ColumnTypeNullable implements [driver.RowsColumnTypeNullable].
func (r *dbRows) ColumnTypeNullable(i int) (nullable, ok bool) {
	if c, is := r.Rows.(driver.RowsColumnTypeNullable); is {
		return c.ColumnTypeNullable(i)
	}
	return false, false
}

// ColumnTypePrecisionScale implements [driver.RowsColumnTypePrecisionScale].
func (r *dbRows) ColumnTypePrecisionScale(i int) (precision, scale int64, ok bool) {
	if c, is := r.Rows.(driver.RowsColumnTypePrecisionScale); is {
		return c.ColumnTypePrecisionScale(i)
	}
	return 0, 0, false
}
