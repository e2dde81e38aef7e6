package memory

import (
	"fmt"
	"time"

	"github.com/twicehq/twice/queue"
)

// Defaults of Config.
const (
	DefaultUniqueFor  = 24 * time.Hour
	DefaultKeepFor    = 30 * 24 * time.Hour
	DefaultMaxPayload = 1 << 20
	DefaultMaxBatch   = 10_000
	MaxTTL            = 24 * time.Hour
)

// Config of an engine; a zero field means its default.
type Config struct {
	Now        func() time.Time // the clock; default: time.Now. It may jump: the engine's never goes back
	UniqueFor  time.Duration    // how long an id is known after its job is done or cancelled
	KeepFor    time.Duration    // how long effects are remembered: the mark never comes nearer than that
	MaxPayload int              // bytes of a payload, a result or a checkpoint
	MaxBatch   int              // jobs, leases or settlements in one call
}

// complete fills in defaults. It fails with ErrInvalid, naming every problem at once.
func (c Config) complete() (Config, error) {
	var found queue.Problems
	negative := func(what string, v any, is bool) {
		if is {
			found = append(found, &queue.Error{Op: "its " + what, Reason: queue.ErrInvalid, Detail: fmt.Sprintf("%v is negative", v), Remedy: "use 0 for the default"})
		}
	}
	negative("UniqueFor", c.UniqueFor, c.UniqueFor < 0)
	negative("KeepFor", c.KeepFor, c.KeepFor < 0)
	negative("MaxPayload", c.MaxPayload, c.MaxPayload < 0)
	negative("MaxBatch", c.MaxBatch, c.MaxBatch < 0)
	if len(found) > 0 {
		return c, &queue.Error{Op: "open", Subject: "memory", Reason: queue.ErrInvalid, Cause: found}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	orDefault(&c.UniqueFor, DefaultUniqueFor)
	orDefault(&c.KeepFor, DefaultKeepFor)
	orDefault(&c.MaxPayload, DefaultMaxPayload)
	orDefault(&c.MaxBatch, DefaultMaxBatch)
	return c, nil
}

func orDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
