package worker_test

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/worker"
)

type greeting struct {
	Name string `json:"name"`
}

var greet = twice.Define("example.greet", twice.Policy[greeting]{Key: func(g greeting) string { return g.Name }})

// How do I run jobs, and stop in order?
func Example() {
	engine, err := memory.New(memory.Config{})
	if err != nil {
		panic(err)
	}
	ctx, stop := context.WithCancel(context.Background()) // in a program: signal.NotifyContext
	w := worker.New(engine, worker.Config{Concurrency: 10, Logger: slog.New(slog.DiscardHandler)})
	worker.Handle(w, greet, func(_ context.Context, job twice.Job[greeting]) error {
		fmt.Println("hello", job.Args.Name)
		stop()
		return nil
	})
	receipt, err := greet.Enqueue(ctx, engine, greeting{"Ann"})
	if err != nil {
		panic(err)
	}
	fmt.Println(receipt.Status)
	if err := w.Run(ctx); err != nil {
		panic(err)
	}
	// Output:
	// accepted
	// hello Ann
}
