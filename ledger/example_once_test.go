package ledger_test

import (
	"context"
	"fmt"
	"time"

	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// delivered is what a worker gives a handler: a context that carries the lease of the attempt.
func delivered(attempt int64) context.Context {
	job := queue.Job{ID: queue.NewID("orders.charge", "o-17"), Kind: "orders.charge", Key: "o-17"}
	return queue.WithHolding(context.Background(), &queue.Holding{Lease: queue.Lease{Job: job, Token: attempt, FreshAt: time.Now()}})
}

// How does a handler that runs twice charge once?
func ExampleOnce() {
	type Charge struct {
		ID string `json:"id"`
	}
	store := memory.NewLedger(memory.LedgerConfig{})
	handle := func(ctx context.Context) error {
		charge, err := ledger.Once(ctx, store, ledger.Effect[Charge]{
			Step: "charge",
			Do: func(ctx context.Context, key string) (Charge, error) { // key: the gateway's idempotency key
				fmt.Println("the gateway is asked")
				return Charge{ID: "ch_1"}, nil
			},
			KeyLife: 24 * time.Hour,
		})
		if err != nil {
			return err
		}
		fmt.Println("charged:", charge.ID)
		return nil
	}
	for attempt := range int64(2) {
		if err := handle(delivered(attempt + 1)); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// the gateway is asked
	// charged: ch_1
	// charged: ch_1
}

// How does a handler that runs twice change its own data once?
func ExampleWithin() {
	stock := 10
	store := memory.NewLedger(memory.LedgerConfig{})
	handle := func(ctx context.Context) error {
		tx := store.Begin() // with a database: the ledger's In(tx) of your own *sql.Tx
		defer tx.Rollback()
		left, err := ledger.Within(ctx, tx, "take", func(context.Context) (int, error) {
			tx.Change(func() { stock-- })
			return stock - 1, nil
		})
		if err != nil {
			return err
		}
		fmt.Println("left:", left)
		return tx.Commit(ctx)
	}
	for attempt := range int64(2) {
		if err := handle(delivered(attempt + 1)); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println("in stock:", stock)
	// Output:
	// left: 9
	// left: 9
	// in stock: 9
}
