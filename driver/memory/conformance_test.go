package memory

import (
	"testing"

	"github.com/twicehq/twice/queue"
	"github.com/twicehq/twice/queue/queuetest"
)

func TestConformance(t *testing.T) {
	queuetest.Run(t, func(t *testing.T, opt queuetest.Options) queue.Engine {
		e, err := New(Config{Now: opt.Clock.Now})
		if err != nil {
			t.Fatal(err)
		}
		return e
	})
}
