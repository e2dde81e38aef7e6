package demo

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// until waits until ok, or for as long as ctx lets it: then it fails, and says what it waited for. An
// error of ok is taken for a no.
func until(ctx context.Context, what string, ok func() (bool, error)) error {
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, 40*time.Millisecond) {
		so, err := ok()
		if so && err == nil {
			return nil
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			if err != nil {
				return fmt.Errorf("waited in vain until %s (%w)", what, err)
			}
			return fmt.Errorf("waited in vain until %s", what)
		}
	}
}

// each calls do for every one of n things, several at a time, until one fails. It gives the first error.
func each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	work := make(chan int)
	var hands sync.WaitGroup
	for range min(clients, n) {
		hands.Go(func() {
			for i := range work {
				if err := do(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := range n {
		select {
		case work <- i:
		case <-ctx.Done():
		}
	}
	close(work)
	hands.Wait()
	return context.Cause(ctx)
}
