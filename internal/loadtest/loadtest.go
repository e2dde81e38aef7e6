// Package loadtest puts a queue under load and measures it: the scenarios that `twice bench` and the module bench
// share. Absolute figures say nothing without those of the disk beside them: see [Probe].
package loadtest

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"
)

// Target is a queue that is measured. All methods may be called concurrently.
type Target interface {
	// Enqueue stores job id and returns when it is as durable as the queue promises.
	Enqueue(ctx context.Context, id int64) error

	// Start starts workers that call ran at the start of each job, which then succeeds at once.
	// stop waits until they have ended and their last completions are stored.
	Start(ctx context.Context, workers int, ran func()) (stop func() error, err error)

	// Pending counts the jobs that workers are still to finish, those at rest not among them. A job
	// whose completion is not stored yet is pending. It is called while the clock runs, so it is cheap.
	Pending(ctx context.Context) (int64, error)
}

// Bulker stores many jobs in one call.
type Bulker interface {
	EnqueueBulk(ctx context.Context, ids []int64) error
}

// Colder stores jobs that no worker of Start will touch: another queue, or the far future.
type Colder interface {
	EnqueueCold(ctx context.Context, ids []int64) error
}

// ErrCannot means that a queue does not offer what a scenario needs.
var ErrCannot = errors.New("not offered")

// Scenario is one question to a queue.
type Scenario struct {
	Name    string
	What    string
	Figures []Figure // the first one tells the better of two runs
	Rest    bool     // the queue holds jobs that no worker touches
	Waiting bool     // the queue holds Env.Backlog jobs for the workers
	Sweep   bool     // the number of workers matters
	Run     func(context.Context, Env, Target) (Values, error)
}

// Figure is one number that a scenario gives.
type Figure struct {
	Name string `json:"figure"`
	Unit string `json:"unit"`
	More bool   `json:"more_is_better"`
}

// Values are the numbers of one run, by figure.
type Values map[string]float64

// Env bounds a run, in count and in time.
type Env struct {
	Workers int
	Backlog int           // jobs waiting when a drain begins
	Samples int           // pick-ups
	Length  time.Duration // of an enqueue run
	Most    int           // jobs stored in an enqueue run; 0: as many as there is time for
	Cap     time.Duration // longest time that a drain is timed
	IDs     *atomic.Int64 // the last job id given
	Log     io.Writer     // what is strange
}

// Next gives n job ids never given before.
func (e Env) Next(n int) []int64 {
	last := e.IDs.Add(int64(n))
	ids := make([]int64, n)
	for i := range ids {
		ids[i] = last - int64(n) + int64(i) + 1
	}
	return ids
}

// enough reports whether n jobs end a run that began at start.
func (e Env) enough(n int64, start time.Time) bool {
	return time.Since(start) >= e.Length || (e.Most > 0 && n >= int64(e.Most))
}

// Chunk is how many jobs a bulk call stores.
const Chunk = 1000

// Chunks stores n jobs by bulk calls.
func (e Env) Chunks(ctx context.Context, n int, put func(context.Context, []int64) error) error {
	for n > 0 {
		k := min(n, Chunk)
		if err := put(ctx, e.Next(k)); err != nil {
			return err
		}
		n -= k
	}
	return nil
}

// PerSecond names the figure that most scenarios give.
const PerSecond = "jobs/s"

// Rate is that figure.
var Rate = Figure{PerSecond, "1/s", true}

func suffix(rest bool) string {
	if rest {
		return "_rest"
	}
	return ""
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
