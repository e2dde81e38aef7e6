package twice

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/twicehq/twice/queue"
)

// Policy says what holds for every job of one kind. Zero fields mean the defaults of their comments;
// Key is required.
type Policy[T any] struct {
	// Key is the identity of a job: the same for two requests that are to be one job, and different
	// otherwise. ByPayload and Fresh are the named alternatives to writing one.
	Key func(T) string
	// Fingerprint picks what two requests with one key must agree on; by default all of the payload.
	Fingerprint func(T) uint64

	Queue    string        // "default"
	Priority int           // 0; -9 to 9, higher first
	Timeout  time.Duration // 5 min; of one attempt
	KeepFor  time.Duration // 0; how long a done job is kept whole

	// Caps: the n-th such event ends the job.
	MaxFailures      int // 8
	MaxCrashes       int // 3; below 2 turns lone runs off
	MaxInterruptions int // 100
	MaxSnoozes       int // 1,000

	// Backoff before the n-th retry: base × 4^(n−1), at most the limit, drawn from its upper half.
	BackoffBase  time.Duration // 1 s
	BackoffLimit time.Duration // 1 h

	MaxPayload int // 4 KiB; in bytes, refused by the engine beyond its own limit

	// LogFields names the top-level fields of the payload, as they stand in its JSON, that may be logged when an
	// attempt starts and ends. None: nothing of a payload is ever logged. Name ids, not data.
	LogFields []string
}

// ByPayload makes the arguments themselves the identity: equal arguments are one job.
func ByPayload[T any](args T) string {
	b, err := json.Marshal(args)
	if err != nil {
		return "" // Enqueue fails on the same error, and says it
	}
	return fmt.Sprintf("%016x", queue.FingerprintOf(b))
}

// Fresh makes every request a job of its own: the key is random. It is drawn once for each Job or
// Enqueue call, so whoever repeats a call whose outcome is unknown makes a second job, unless the
// job was made by Kind.Job before the first try and that same job is enqueued again.
func Fresh[T any](T) string { return rand.Text() }

// Kind is a type of job: a name, the type of its arguments and its policy. It is immutable.
type Kind[T any] struct {
	policy Policy[T]
	rules  Rules
}

// Rules is what a worker needs of a policy, with every default filled in.
type Rules struct {
	Kind, Queue               string
	Caps                      Caps
	Timeout                   time.Duration
	BackoffBase, BackoffLimit time.Duration
	LogFields                 []string // of Policy; shared, so not to be changed
}

// Caps end a job: the n-th event of a cap of n.
type Caps struct{ Failures, Crashes, Interruptions, Snoozes int }

// DefaultQueue is where kinds wait that name no queue.
const DefaultQueue = "default"

// Defaults of a policy.
const (
	DefaultTimeout      = 5 * time.Minute
	DefaultBackoffBase  = time.Second
	DefaultBackoffLimit = time.Hour
)

// DefaultCaps are the caps of a kind that sets none.
var DefaultCaps = Caps{Failures: 8, Crashes: 3, Interruptions: 100, Snoozes: 1000}

// Define makes a kind. Kinds are defined once, in package variables: a policy that breaks a rule is a
// mistake in the program, so Define panics, with an error that names every problem at once.
func Define[T any](name string, policy Policy[T]) *Kind[T] {
	k, err := define(name, policy)
	if err != nil {
		panic(err)
	}
	return k
}

func define[T any](name string, p Policy[T]) (*Kind[T], error) {
	var problems queue.Problems
	wrong := func(detail, remedy string) {
		problems = append(problems, &queue.Error{Reason: queue.ErrInvalid, Detail: detail, Remedy: remedy})
	}
	if p.Queue == "" {
		p.Queue = DefaultQueue
	}
	for _, err := range []error{queue.CheckName("kind", name), queue.CheckName("queue", p.Queue)} {
		if err != nil {
			problems = append(problems, err)
		}
	}
	if p.Key == nil {
		wrong("it has no Key", "derive one from the arguments, or use twice.ByPayload or twice.Fresh")
	}
	if p.Priority < -queue.MaxPriority || p.Priority > queue.MaxPriority {
		wrong(fmt.Sprintf("its priority is %d", p.Priority), fmt.Sprintf("use %d to %d", -queue.MaxPriority, queue.MaxPriority))
	}
	number := func(what string, n *int, byDefault int) {
		if *n < 0 {
			wrong(fmt.Sprintf("its %s is %d", what, *n), "use 0 for the default, or a positive number")
		} else if *n == 0 {
			*n = byDefault
		}
	}
	number("MaxFailures", &p.MaxFailures, DefaultCaps.Failures)
	number("MaxCrashes", &p.MaxCrashes, DefaultCaps.Crashes)
	number("MaxInterruptions", &p.MaxInterruptions, DefaultCaps.Interruptions)
	number("MaxSnoozes", &p.MaxSnoozes, DefaultCaps.Snoozes)
	number("MaxPayload", &p.MaxPayload, queue.DefaultMaxPayload)
	span := func(what string, d *time.Duration, byDefault time.Duration) {
		if *d < 0 {
			wrong(fmt.Sprintf("its %s is %s", what, *d), "use 0 for the default, or a positive duration")
		} else if *d == 0 {
			*d = byDefault
		}
	}
	span("Timeout", &p.Timeout, DefaultTimeout)
	span("BackoffBase", &p.BackoffBase, DefaultBackoffBase)
	span("BackoffLimit", &p.BackoffLimit, max(DefaultBackoffLimit, p.BackoffBase))
	span("KeepFor", &p.KeepFor, 0)
	if p.BackoffLimit < p.BackoffBase {
		wrong(fmt.Sprintf("its BackoffLimit %s is below its BackoffBase %s", p.BackoffLimit, p.BackoffBase), "raise the limit")
	}
	problems = append(problems, checkLogFields(p.LogFields)...)
	if len(problems) > 0 {
		return nil, &queue.Error{Op: "define", Subject: fmt.Sprintf("kind %q", name), Cause: problems}
	}
	return &Kind[T]{policy: p, rules: Rules{
		Kind: name, Queue: p.Queue, Timeout: p.Timeout, BackoffBase: p.BackoffBase, BackoffLimit: p.BackoffLimit,
		Caps:      Caps{Failures: p.MaxFailures, Crashes: p.MaxCrashes, Interruptions: p.MaxInterruptions, Snoozes: p.MaxSnoozes},
		LogFields: slices.Clone(p.LogFields),
	}}, nil
}

// Name is the kind's name.
func (k *Kind[T]) Name() string { return k.rules.Kind }

// Rules gives the policy as workers apply it.
func (k *Kind[T]) Rules() Rules { return k.rules }
