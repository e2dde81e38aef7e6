package queue

import (
	"context"
	"database/sql"
)

// Transactor is an engine that lives in a database of the caller: In joins a transaction of it.
type Transactor[T any] interface{ In(tx T) Tx }

// SQL is what an engine needs of a transaction of database/sql: [*sql.Tx] has it.
type SQL interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Exchanger settles and claims in one trip. The answers to the settlements wait for the claim: use Wait 0 where that matters.
type Exchanger interface {
	Exchange(ctx context.Context, ends []Settlement, req Claim) ([]error, []Lease, error)
}
