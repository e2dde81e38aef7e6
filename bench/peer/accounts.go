package peer

import (
	"context"
	"database/sql"
)

// The application's own table, for the transactional effect: a job credits one account by one.
const (
	Credit   = `UPDATE accounts SET balance = balance + 1 WHERE id = ?`
	Balances = `SELECT coalesce(sum(balance), 0) FROM accounts`
	accounts = 1000
)

// Account is the row that job id credits.
func Account(id int64) int64 { return id % accounts }

// CreateAccounts makes the table, in SQLite's dialect, unless it is there.
func CreateAccounts(ctx context.Context, db *sql.DB) error {
	for _, q := range []string{
		`CREATE TABLE IF NOT EXISTS accounts (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL)`,
		`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < 1000)
		 INSERT INTO accounts SELECT i, 0 FROM n WHERE NOT EXISTS (SELECT 1 FROM accounts)`,
	} {
		if _, err := db.ExecContext(ctx, q); err != nil {
			return err
		}
	}
	return nil
}
