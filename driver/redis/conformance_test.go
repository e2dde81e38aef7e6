package redis

import (
	"context"
	"fmt"
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

func (e tested) Unwrap() queue.Engine { return e.Engine }

func (e tested) Reopen() (queue.Engine, error) { // the old handle is left as it is
	again, err := e.again()
	if err != nil {
		return nil, err
	}
	e.t.Cleanup(func() { _ = again.Close() })
	return tested{again, e.again, e.t}, nil
}

func TestConformance(t *testing.T) {
	redistest.Need(t)
	server := redistest.Start(t, redistest.Options{Persistence: redistest.Always})
	queuetest.Run(t, func(t *testing.T, opt queuetest.Options) queue.Engine {
		name := prefix()
		open := func() (*Engine, error) {
			return Open(context.Background(), server.URL(), Config{Prefix: name, Now: opt.Clock.Now})
		}
		e, err := open()
		if err != nil {
			t.Fatal(err)
		}
		return tested{e, open, t}
	})
}
