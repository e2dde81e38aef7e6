package proof

import (
	"context"
	"database/sql/driver"
)

// BeginTx implements [driver.ConnBeginTx].
func (c *dbConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	base, err := c.begin(ctx, opts)
	if err != nil {
		return nil, err
	}
	tx := &dbTx{Tx: base, c: c, who: c.o.t.attemptOf(ctx)}
	c.mu.Lock()
	c.tx = tx
	c.mu.Unlock()
	if tx.who != nil {
		c.o.t.onDeath(tx.who, func() { _ = tx.Rollback() })
	}
	return tx, nil
}

func (c *dbConn) begin(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	if b, ok := c.Conn.(driver.ConnBeginTx); ok {
		return b.BeginTx(ctx, opts)
	}
	//lint:ignore SA1019 what old drivers have
	return c.Conn.Begin()
}

// dbTx is a transaction. It ends once.
type dbTx struct {
	driver.Tx
	c     *dbConn
	who   *attempt
	made  []*made
	ended bool
}

// end tells whether this is the call that ends the transaction.
func (t *dbTx) end() bool {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	if t.ended {
		return false
	}
	t.ended, t.c.tx = true, nil
	return true
}

// Commit implements [driver.Tx].
func (t *dbTx) Commit() error {
	ctx := context.Background()
	if t.who != nil {
		ctx = context.WithValue(ctx, attemptKey{}, t.who)
	}
	err := t.c.o.around(ctx, call{name: "SQL COMMIT", soft: true}, func() (string, error) {
		if !t.end() {
			return "the transaction has ended", driver.ErrBadConn
		}
		err := t.Tx.Commit()
		if err == nil {
			t.c.o.t.committed(t.made)
		}
		return outcome(err), err
	})
	if err != nil && t.end() { // refused before it was sent
		_ = t.Tx.Rollback()
	}
	return err
}

// Rollback implements [driver.Tx].
func (t *dbTx) Rollback() error {
	if !t.end() {
		return nil
	}
	return t.Tx.Rollback()
}

func (t *trial) committed(calls []*made) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, m := range calls {
		m.undone = false
	}
}
