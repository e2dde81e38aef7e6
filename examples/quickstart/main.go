// Command quickstart enqueues one job and runs it: run it twice, and the second time nothing is left to do.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/worker"
)

type Charge struct {
	OrderID string `json:"order_id"`
}

var ChargeOrder = twice.Define("orders.charge", twice.Policy[Charge]{
	Key: func(c Charge) string { return c.OrderID }, // the same order is the same job
})

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	engine, err := sqlite.Open("orders.db", sqlite.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()
	receipt, err := ChargeOrder.Enqueue(ctx, engine, Charge{OrderID: "o-17"})
	fmt.Println(receipt.ID, receipt.Status, err) // accepted; the second time: duplicate
	w := worker.New(engine, worker.Config{Concurrency: 10})
	worker.Handle(w, ChargeOrder, func(ctx context.Context, job twice.Job[Charge]) error {
		fmt.Println("charging", job.Args.OrderID)
		stop()
		return nil // nil: done · an error: again later · twice.Bury(err) · twice.Snooze(d)
	})
	if err := w.Run(ctx); err != nil {
		log.Fatal(err)
	}
}
