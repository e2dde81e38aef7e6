package diagnose_test

import (
	"context"
	"fmt"

	"github.com/twicehq/twice/diagnose"
	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/queue"
)

// What is the matter with a queue?
func Example() {
	ctx := context.Background()
	engine, err := memory.New(memory.Config{})
	if err != nil {
		panic(err)
	}
	if err := engine.Pause(ctx, queue.Actor{Name: "ann", Why: "the shop moves"}, "orders"); err != nil {
		panic(err)
	}
	if _, err := engine.Enqueue(ctx, queue.Job{Queue: "orders", Kind: "orders.charge", Key: "o-17"}); err != nil {
		panic(err)
	}

	watch := diagnose.NewWatch(engine, diagnose.Config{}) // in a program: go watch.Run(ctx)
	watch.Take(ctx)
	for _, f := range watch.Findings() {
		fmt.Println(f.Queue, f.Verdict, f.Well)
		fmt.Println(f.Change)
	}
	// Output:
	// orders paused false
	// Somebody resumes the queue.
}
