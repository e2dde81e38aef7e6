package proof_test

import (
	"context"
	"strings"
	"sync"
	"testing"
)

// A crash takes everything of the process with it: whatever a handler does to live on, nothing of the attempt acts after it.
func TestCrashTakesTheWholeProcess(t *testing.T) {
	handlers := map[string]func(y *yard, ctx context.Context, _ job) error{
		"recovers and goes on": func(y *yard, ctx context.Context, _ job) error {
			func() {
				defer func() { _ = recover() }()
				_ = y.act(ctx, "first", "k")
			}()
			return y.act(ctx, "second", "k")
		},
		"acts in a defer": func(y *yard, ctx context.Context, _ job) (err error) {
			defer func() { err = y.act(ctx, "second", "k") }()
			return y.act(ctx, "first", "k")
		},
		"acts in a goroutine": func(y *yard, ctx context.Context, _ job) error {
			var both sync.WaitGroup
			both.Go(func() { _ = y.act(ctx, "first", "k") })
			both.Wait()
			both.Go(func() { _ = y.act(ctx, "second", "k") })
			both.Wait()
			return nil
		},
		"acts in a goroutine without its context": func(y *yard, ctx context.Context, _ job) error {
			done := make(chan error)
			go func() {
				done <- y.o.Call(context.Background(), "second", func() error { y.outside.made["second"] = 1; return nil })
			}()
			if err := y.act(ctx, "first", "k"); err != nil {
				return err
			}
			return <-done
		},
		"swallows every error": func(y *yard, ctx context.Context, _ job) error {
			_ = y.act(ctx, "first", "k")
			_ = y.act(ctx, "second", "k")
			return y.act(ctx, "first", "k")
		},
	}
	for name, handle := range handlers {
		t.Run(name, func(t *testing.T) {
			for _, schedule := range []string{"A1:crash", "A2:crash", "A3:crash", "A4:crash"} {
				r := prove(t, handle, replay(schedule))
				crashed, after := false, false
				for _, line := range r.Replayed {
					after = after || crashed && strings.Contains(line, "  A  ")
					crashed = crashed || strings.Contains(line, "crashes")
				}
				if !crashed || after {
					t.Errorf("%s: crashed %t, and A acted after it %t:\n%s", schedule, crashed, after, strings.Join(r.Replayed, "\n"))
				}
			}
			if r := prove(t, handle, replay("A")); !strings.Contains(strings.Join(r.Replayed, "\n"), "A  second: done") {
				t.Errorf("the control: with no crash its second act is not seen:\n%s", r)
			}
		})
	}
}

// What a process holds in memory is lost with it; what the world holds is not. An attempt after an error has the same process.
func TestMemoryIsLostWithTheProcess(t *testing.T) {
	var had []bool
	handle := func(y *yard, ctx context.Context, _ job) error {
		had = append(had, y.memory["was here"])
		y.memory["was here"] = true
		return y.act(ctx, "act", "k")
	}
	for schedule, want := range map[string]bool{"A1:crash": false, "A1:error": true, "A2 B A": false, "A1:dead redrive": false} {
		had = nil
		if prove(t, handle, replay(schedule)); len(had) != 4 || had[3] != want { // two clean runs come before
			t.Errorf("%s: memory at the attempts %v, want %t in the last", schedule, had, want)
		}
	}
}
