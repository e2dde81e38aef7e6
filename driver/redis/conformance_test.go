package redis

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/twicehq/twice/internal/redistest"
	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/queue/queuetest"
)

var prefixes atomic.Int64

// prefix gives a test keys of its own on a server that several share.
func prefix() string { return fmt.Sprintf("t%d", prefixes.Add(1)) }

// tested adds to the engine what the suite's rule on durability works with.
type tested struct {
	*Engine
	again func() (*Engine, error)
	t     *testing.T
}

func (e tested) Transact(ctx context.Context, fn func(queue.Tx) error) error {
	return e.Atomically(ctx, func(tx *Tx) error { return fn(e.In(tx)) })
}

func (e tested) SideBySide() bool { return true }

func (e tested) Unwrap() queue.Engine { return e.Engine }

func (e tested) Reopen() (queue.Engine, error) { // the old handle is left as it is
	again, err := e.again()
	if err != nil {
		return nil, err
	}
	e.t.Cleanup(func() { _ = again.Close() })
	return tested{again, e.again, e.t}, nil
}

// counted adds what the suite's rule on work at rest works with: how many commands the server ran, those of scripts
// included. None of them looks at more than it is given or gives, but for the counting of a range of a sorted set.
type counted struct{ tested }

func (e counted) Worked() (n int64) {
	info, err := e.client.Do(context.Background(), e.client.B().Info().Section("commandstats").Build()).ToString()
	if err != nil {
		e.t.Fatal(err)
	}
	for line := range strings.Lines(info) {
		var calls int64
		if _, after, ok := strings.Cut(line, ":calls="); ok {
			_, _ = fmt.Sscan(strings.SplitN(after, ",", 2)[0], &calls)
			n += calls
		}
	}
	return n
}

func TestConformance(t *testing.T) {
	redistest.Need(t)
	shared := redistest.Start(t, redistest.Options{Persistence: redistest.Always})
	queuetest.Run(t, func(t *testing.T, opt queuetest.Options) queue.Engine {
		name, server := prefix(), shared
		alone := strings.HasSuffix(t.Name(), "case_14_a_million_at_rest")
		if alone { // it counts what the server does
			server = redistest.Start(t, redistest.Options{})
		}
		open := func() (*Engine, error) {
			return Open(context.Background(), server.URL(), Config{Prefix: name, Now: opt.Clock.Now})
		}
		e, err := open()
		if err != nil {
			t.Fatal(err)
		}
		if own := (tested{e, open, t}); alone {
			return counted{own}
		} else {
			return own
		}
	})
}
