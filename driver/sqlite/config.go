package sqlite

import (
	"cmp"
	"fmt"
	"log/slog"
	"time"

	"github.com/twicehq/twice/queue"
)

// Config sets an engine up. The zero value is the default; Open reports every problem at once.
type Config struct {
	// UniqueFor is how long the id of a job that is done stays known: 24 h.
	UniqueFor time.Duration
	// KeepFor is how long effects are remembered: 30 days.
	KeepFor time.Duration
	// MaxPayload is the limit of a payload or a result: 1 MiB, in bytes.
	MaxPayload int
	// BusyTimeout is how long a call waits while another process or a transaction of the application
	// holds the file's one write lock: 5 s. Then it fails with ErrUnavailable.
	BusyTimeout time.Duration
	// Relaxed gives up the fsync of each commit (synchronous=NORMAL): the latest commits may be lost when the power
	// fails, and nothing when the process does.
	Relaxed bool
	// Now is the host's clock: time.Now. The engine's own clock never goes back, whatever this one does.
	Now func() time.Time
	// Logger gets warnings: slog.Default().
	Logger *slog.Logger

	through technology // how OpenRigged and tests put another SQLite under the engine
	sealAt  int        // how many ids are kept in memory before they are sealed: for tests
}

// maxBatch bounds a call; a commit may hold many calls.
const maxBatch = 10_000

func (c Config) checked() (Config, error) {
	var problems queue.Problems
	span := func(what string, d *time.Duration, byDefault time.Duration) {
		if *d < 0 {
			problems = append(problems, &queue.Error{Reason: queue.ErrInvalid, Detail: fmt.Sprintf("%s is %s", what, *d),
				Remedy: "use 0 for the default, or a positive duration"})
		} else if *d == 0 {
			*d = byDefault
		}
	}
	span("UniqueFor", &c.UniqueFor, 24*time.Hour)
	span("KeepFor", &c.KeepFor, 30*24*time.Hour)
	span("BusyTimeout", &c.BusyTimeout, 5*time.Second)
	if c.BusyTimeout > time.Hour {
		problems = append(problems, &queue.Error{Reason: queue.ErrInvalid, Detail: fmt.Sprintf("BusyTimeout is %s", c.BusyTimeout),
			Remedy: "use at most an hour"})
	}
	if c.MaxPayload < 0 || c.MaxPayload > 64<<20 {
		problems = append(problems, &queue.Error{Reason: queue.ErrInvalid, Detail: fmt.Sprintf("MaxPayload is %d", c.MaxPayload),
			Remedy: "use 0 for the default, or at most 64 MiB"})
	} else if c.MaxPayload == 0 {
		c.MaxPayload = 1 << 20
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.through.driver == "" {
		c.through = modernc
	}
	c.sealAt = cmp.Or(c.sealAt, sealAt)
	if len(problems) > 0 {
		return c, &queue.Error{Op: "configure", Subject: "sqlite", Cause: problems}
	}
	return c, nil
}
