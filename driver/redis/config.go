package redis

import (
	"cmp"
	"fmt"
	"log/slog"
	"time"

	"github.com/twicehq/twice/queue"
)

// Config sets an engine up. The zero value is the default; Open reports every problem at once.
type Config struct {
	// Prefix begins every key, so that applications can share a server: "twice".
	Prefix string
	// UniqueFor is how long the id of a job that is done stays known: 24 h.
	UniqueFor time.Duration
	// EndedBytes bounds what is kept of jobs that have ended, about, in each queue: 0, no bound. Where it is exceeded
	// the oldest are pruned before UniqueFor has passed, and the queue's mark moves to their freshness: a request
	// with an origin as old is refused, and not run a second time.
	EndedBytes int
	// KeepFor is how long effects are remembered: 30 days.
	KeepFor time.Duration
	// MaxPayload is the limit of a payload or a result: 1 MiB, in bytes.
	MaxPayload int
	// MinReplicas is how many replicas must hold a write before it is reported: 0. Where fewer do within
	// ReplicaTimeout, the outcome is unknown.
	MinReplicas int
	// ReplicaTimeout is how long a write waits for MinReplicas: 1 s.
	ReplicaTimeout time.Duration
	// ReconcileEvery is how often workers compare the index of every queue with its jobs: 1 h. Negative: never.
	ReconcileEvery time.Duration
	// Now replaces the server's clock, for tests. The engine's own never goes back, whatever this one does.
	Now func() time.Time
	// Logger gets warnings: slog.Default(). What the server's persistence promises is in Traits and Server.
	Logger *slog.Logger

	few int // so many leases of one claim are indexed together, and not one by one: 8
}

const (
	maxBatch = 10_000
	maxTTL   = 24 * time.Hour
)

func (c Config) checked() (Config, error) {
	var problems queue.Problems
	wrong := func(detail, remedy string) {
		problems = append(problems, &queue.Error{Reason: queue.ErrInvalid, Detail: detail, Remedy: remedy})
	}
	span := func(what string, d *time.Duration, byDefault time.Duration) {
		if *d < 0 {
			wrong(fmt.Sprintf("%s is %s", what, *d), "use 0 for the default, or a positive duration")
		}
		*d = cmp.Or(*d, byDefault)
	}
	c.Prefix = cmp.Or(c.Prefix, "twice")
	if err := queue.CheckName("prefix", c.Prefix); err != nil {
		problems = append(problems, err)
	}
	span("UniqueFor", &c.UniqueFor, 24*time.Hour)
	span("KeepFor", &c.KeepFor, 30*24*time.Hour)
	span("ReplicaTimeout", &c.ReplicaTimeout, time.Second)
	if c.MaxPayload < 0 || c.MaxPayload > 64<<20 {
		wrong(fmt.Sprintf("MaxPayload is %d", c.MaxPayload), "use 0 for the default, or at most 64 MiB")
	}
	c.MaxPayload = cmp.Or(c.MaxPayload, 1<<20)
	if c.EndedBytes < 0 || c.EndedBytes > 0 && c.EndedBytes < 1<<16 {
		wrong(fmt.Sprintf("EndedBytes is %d", c.EndedBytes), "use 0 for no bound, or at least 65536")
	}
	if c.MinReplicas < 0 {
		wrong(fmt.Sprintf("MinReplicas is %d", c.MinReplicas), "use 0 for none")
	}
	c.ReconcileEvery = cmp.Or(c.ReconcileEvery, time.Hour)
	c.few = cmp.Or(c.few, 8)
	c.Logger = cmp.Or(c.Logger, slog.Default())
	if len(problems) > 0 {
		return c, &queue.Error{Op: "configure", Subject: "redis", Reason: queue.ErrInvalid, Cause: problems}
	}
	return c, nil
}
