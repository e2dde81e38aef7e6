package worker

import (
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// Config of a worker; a zero field means the default of its comment.
type Config struct {
	Concurrency int           // 10; slots: how many jobs run at once
	Name        string        // host, process id and a random part; unique among all workers of an engine
	Queues      []string      // the queues of all handled kinds; only these are served
	Lease       time.Duration // 30 s; extended every third of it
	Grace       time.Duration // 25 s; how long running handlers may go on after a shutdown began

	// Margin is how long a handler may take to return after its context has ended: 5 s, and at most 2 s
	// of it after a shutdown. One that takes longer is deaf: its slot is written off.
	Margin time.Duration

	// Ledger is the record of effects where it is a store of its own: it is sealed before a job is dead.
	// Leave it nil where the engine keeps the ledger.
	Ledger ledger.Store

	// Lone says how to run a suspect in a process of its own; nil: in this one.
	Lone *Lone

	Logger    *slog.Logger // slog's default
	Observers []Observer   // told of everything that happens, besides the log
	Wraps     []Wrap       // around every run of a handler, the first outermost
}

// Defaults of Config.
const (
	DefaultConcurrency = 10
	DefaultLease       = 30 * time.Second
	DefaultGrace       = 25 * time.Second
	DefaultMargin      = 5 * time.Second
)

const (
	maxConcurrency = 100_000
	minLease       = 30 * time.Millisecond // a beat every 10 ms
)

// complete fills in defaults, and names everything that is wrong.
func (c Config) complete(traits queue.Traits) (Config, queue.Problems) {
	var found queue.Problems
	wrong := func(detail, remedy string) {
		found = append(found, &queue.Error{Reason: queue.ErrInvalid, Detail: detail, Remedy: remedy})
	}
	if c.Concurrency < 0 || c.Concurrency > maxConcurrency {
		wrong(fmt.Sprintf("its Concurrency is %d", c.Concurrency), fmt.Sprintf("use 1 to %d, or 0 for %d", maxConcurrency, DefaultConcurrency))
	} else if c.Concurrency == 0 {
		c.Concurrency = DefaultConcurrency
	}
	span := func(what string, d *time.Duration, byDefault time.Duration) {
		if *d < 0 {
			wrong(fmt.Sprintf("its %s is %s", what, *d), "use 0 for the default, or a positive duration")
		} else if *d == 0 {
			*d = byDefault
		}
	}
	span("Lease", &c.Lease, DefaultLease)
	span("Grace", &c.Grace, DefaultGrace)
	span("Margin", &c.Margin, DefaultMargin)
	if c.Lease > 0 && c.Lease < minLease {
		wrong(fmt.Sprintf("its Lease is %s", c.Lease), fmt.Sprintf("use at least %s", minLease))
	}
	if traits.MaxTTL > 0 && c.Lease > traits.MaxTTL {
		wrong(fmt.Sprintf("its Lease is %s, the engine's limit is %s", c.Lease, traits.MaxTTL), "use a shorter one: it is extended while the handler runs")
	}
	if c.Name == "" {
		c.Name = defaultName()
	}
	for _, err := range append([]error{queue.CheckName("worker", c.Name)}, checkQueues(c.Queues)...) {
		if err != nil {
			found = append(found, err)
		}
	}
	if slices.Contains(c.Observers, nil) {
		wrong("one of its Observers is nil", "leave it out")
	}
	if slices.ContainsFunc(c.Wraps, func(wrap Wrap) bool { return wrap == nil }) {
		wrong("one of its Wraps is nil", "leave it out")
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return c, found
}

func checkQueues(queues []string) []error {
	var found []error
	for _, q := range queues {
		found = append(found, queue.CheckName("queue", q))
	}
	return found
}

// defaultName is made of what helps a person find the process, and is unique.
func defaultName() string {
	host, _ := os.Hostname()
	host = strings.Map(func(c rune) rune {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-':
			return c
		}
		return -1
	}, host)
	host = strings.TrimLeft(host[:min(len(host), 32)], "-")
	if host == "" {
		host = "worker"
	}
	id := queue.NewClaimID()
	return fmt.Sprintf("%s.%d.%x", host, os.Getpid(), id[:4])
}
