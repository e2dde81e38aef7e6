package httpapi

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/twicehq/twice/diagnose"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// Config of a Server; a zero field means what its comment says.
type Config struct {
	// Ledger is the record of effects that the engine's jobs make. Nil: the engine's own, where it offers one through
	// a method Ledger() ledger.Store; else none, and then a cancel seals nothing and its audit row says "no ledger".
	Ledger ledger.Store
	// Kinds are those whose jobs can be made of arguments alone. Jobs of others need a key.
	Kinds []Kind
	// KnownOnly refuses jobs of kinds that are not in Kinds.
	KnownOnly bool
	// Tokens say who may do what. None: everybody on this machine may do everything.
	Tokens Tokens
	// Hosts are the names under which the API may be addressed, without port. None: without tokens the loopback
	// names and addresses; with tokens any, since no browser sends a token by itself.
	Hosts []string
	// Findings gives the verdicts on all queues; nil: they are answered 501.
	Findings func(context.Context) ([]diagnose.Finding, error)
	// Live is nil while the process is worth keeping; nil: always.
	Live func(context.Context) error
	// Ready is nil while the claim loop makes progress; nil: always. The engine is asked besides.
	Ready func(context.Context) error

	Logger        *slog.Logger     // slog's default: changes, and what failed; never a payload or a token
	Now           func() time.Time // time.Now
	Timeout       time.Duration    // 10 s; of a request
	HealthTimeout time.Duration    // 2 s; of a health check
	MaxPayload    int              // 4 KiB; bytes of a payload that is not made by one of Kinds. The engine may allow less
	MaxBody       int              // 1 MiB; bytes of a request's body
	MaxInFlight   int              // 256; requests at a time
	MaxScans      int              // 2; counts, groupings and searches through all that is stored, at a time
	MaxOperations int              // 4; changes by a filter, at a time
}

// complete fills in defaults. It fails with ErrInvalid, naming every problem at once.
func (c Config) complete() (Config, error) {
	var found queue.Problems
	wrong := func(detail, remedy string) {
		found = append(found, &queue.Error{Op: "configure", Subject: "API", Reason: queue.ErrInvalid, Detail: detail, Remedy: remedy})
	}
	number := func(what string, n *int, byDefault, limit int) {
		if *n < 0 || *n > limit {
			wrong(fmt.Sprintf("%s is %d", what, *n), fmt.Sprintf("use 0 for the default, or at most %d", limit))
		} else if *n == 0 {
			*n = byDefault
		}
	}
	span := func(what string, d *time.Duration, byDefault time.Duration) {
		if *d < 0 || *d > 10*time.Minute {
			wrong(fmt.Sprintf("%s is %s", what, *d), "use 0 for the default, or at most 10m")
		} else if *d == 0 {
			*d = byDefault
		}
	}
	number("MaxPayload", &c.MaxPayload, queue.DefaultMaxPayload, 64<<20)
	number("MaxBody", &c.MaxBody, 1<<20, 256<<20)
	number("MaxInFlight", &c.MaxInFlight, 256, 100_000)
	number("MaxScans", &c.MaxScans, 2, 100)
	number("MaxOperations", &c.MaxOperations, 4, 100)
	span("Timeout", &c.Timeout, 10*time.Second)
	span("HealthTimeout", &c.HealthTimeout, 2*time.Second)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	seen := map[string]bool{}
	for _, k := range c.Kinds {
		if err := queue.CheckName("kind", k.Name); err != nil {
			found = append(found, err)
		}
		if err := queue.CheckName("queue", k.Queue); err != nil {
			found = append(found, err)
		}
		if seen[k.Name] || k.Make == nil {
			wrong(fmt.Sprintf("the kind %.64q is there twice, or has no Make", k.Name), "give each kind once, as KindOf makes it")
		}
		seen[k.Name] = true
	}
	if len(found) > 0 {
		return c, &queue.Error{Op: "configure", Subject: "API", Reason: queue.ErrInvalid, Cause: found}
	}
	return c, nil
}
