package diagnose

import (
	"time"

	"github.com/twicehq/twice/queue"
)

// Verdict is what is said of a queue.
type Verdict string

// The verdicts, in the order in which they are tried: the first that matches is given.
const (
	BrokerDown         Verdict = "broker_down"          // the engine serves nobody
	NoData             Verdict = "no_data"              // the engine serves, but what it holds cannot be read
	Paused             Verdict = "paused"               // a person stopped the queue
	NoConsumer         Verdict = "no_consumer"          // due jobs, and nobody subscribed to that queue and kind
	ConsumerDead       Verdict = "consumer_dead"        // whoever was subscribed fell silent
	StuckHandler       Verdict = "stuck_handler"        // slots busy, and nothing is done for far longer than usual
	StuckDispatch      Verdict = "stuck_dispatch"       // jobs due, slots free, and nothing is claimed
	CrashLoop          Verdict = "crash_loop"           // workers die soon after their start, again and again
	Poison             Verdict = "poison"               // most failures come from a few jobs
	DependencyDown     Verdict = "dependency_down"      // many jobs fail in one way
	Throttled          Verdict = "throttled"            // limits hold jobs back
	UnderProvisioned   Verdict = "under_provisioned"    // slots full, work completing, and more comes than is done
	CatchingUp         Verdict = "catching_up"          // late, and getting less so
	DeadLettersGrowing Verdict = "dead_letters_growing" // jobs give up
	Healthy            Verdict = "healthy"
	Idle               Verdict = "idle"         // nothing is due, runs or comes
	Undetermined       Verdict = "undetermined" // something is late, and it cannot be told why
)

// Finding is the verdict on one queue and why. Times are the engine's, but for a verdict without counts: then the sampler's.
type Finding struct {
	Queue   string    `json:"queue"` // empty: the engine as a whole, where it never told its queues
	Verdict Verdict   `json:"verdict"`
	Well    bool      `json:"well"`           // nobody needs to act
	Also    []Verdict `json:"also,omitempty"` // what else matches that is not well, in the order of the verdicts
	Says    string    `json:"says"`           // the verdict in one sentence, with its numbers, for people
	Change  string    `json:"change"`         // what would make it another verdict
	Do      string    `json:"do"`             // what to do; empty where nothing is to be done
	// Runbook is the page that says more, docs/runbooks/<Runbook>.md: it has the verdict's name; empty where all is well.
	Runbook string    `json:"runbook,omitempty"`
	Since   time.Time `json:"since"` // the first sample of the window
	At      time.Time `json:"at"`    // the last one
	Samples int       `json:"samples"`
	// Evidence is what the verdict rests on.
	Evidence []Evidence `json:"evidence"`
	// Capacity is there where jobs ran within the window.
	Capacity *Capacity `json:"capacity,omitempty"`
}

// Evidence is one fact: a number, or ids, or both. Value is finite.
type Evidence struct {
	Name    string     `json:"name"`
	Value   float64    `json:"value"`
	Unit    string     `json:"unit,omitempty"`    // s, jobs, /s, slots, …; empty: a count
	Jobs    []queue.ID `json:"jobs,omitempty"`    // at most MaxNamed
	Workers []string   `json:"workers,omitempty"` // at most MaxNamed
	Text    string     `json:"text,omitempty"`
}

// MaxNamed is how many jobs or workers one piece of evidence names.
const MaxNamed = 10

// Capacity compares what comes with what can be done (Little's law). A worker's slots count for each queue that it serves.
type Capacity struct {
	Arrivals    float64       `json:"arrivals_per_second"`    // jobs that became due
	Completions float64       `json:"completions_per_second"` // jobs that ended
	MeanRun     time.Duration `json:"mean_run_ns"`            // of an attempt
	Slots       int           `json:"slots"`
	Busy        float64       `json:"busy"`                // slots, on average
	Utilisation float64       `json:"utilisation"`         // Busy of Slots, 0 to 1
	Needed      int           `json:"slots_needed"`        // so that 80 % are busy
	Drained     time.Time     `json:"drained,omitzero"`    // when the backlog will be gone at this pace; zero: never, or there is none
	DrainedBy   time.Time     `json:"drained_by,omitzero"` // when it would be gone with the slots needed, from now on
	Backlog     int64         `json:"backlog"`             // jobs that are due
	Estimated   bool          `json:"estimated,omitempty"` // no attempt ended within the window: Completions is reckoned from the usual run
}
