package twice_test

import (
	"context"
	"fmt"

	"github.com/twicehq/twice"
)

// How do I show how far a long job has come? Its handler says so, and the worker announces it with the job.
func ExampleProgress() {
	months := []string{"January", "February", "March"}
	handler := func(ctx context.Context) {
		for i := range months[:2] {
			twice.Progress(ctx, i+1, len(months))
		}
	}

	var seen twice.Progressed // in a program the worker keeps it: queue.Presence shows it as Running[…].Done and Total
	handler(twice.WithProgress(context.Background(), &seen))
	done, total, _ := seen.Read()
	fmt.Printf("%d of %d\n", done, total)
	// Output: 2 of 3
}
