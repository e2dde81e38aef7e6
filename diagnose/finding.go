package diagnose

import (
	"time"

	"github.com/twicehq/twice/queue"
)

// Verdict is what is said of a queue.
type Verdict string

// The verdicts, in the order in which they are tried: the first that matches is given.
const (
	BrokerDown         Verdict = "broker_down"
	NoData             Verdict = "no_data"
	Paused             Verdict = "paused"
	NoConsumer         Verdict = "no_consumer"
	ConsumerDead       Verdict = "consumer_dead"
	StuckHandler       Verdict = "stuck_handler"
	StuckDispatch      Verdict = "stuck_dispatch"
	CrashLoop          Verdict = "crash_loop"
	Poison             Verdict = "poison"
	DependencyDown     Verdict = "dependency_down"
	Throttled          Verdict = "throttled"
	UnderProvisioned   Verdict = "under_provisioned"
	CatchingUp         Verdict = "catching_up"
	DeadLettersGrowing Verdict = "dead_letters_growing"
	Healthy            Verdict = "healthy"
	Idle               Verdict = "idle"
	Undetermined       Verdict = "undetermined"
)

// Finding is the verdict on one queue and why. Times are the engine's.
type Finding struct {
	Queue   string    `json:"queue"`
	Verdict Verdict   `json:"verdict"`
	Well    bool      `json:"well"` // nobody needs to act
	Also    []Verdict `json:"also,omitempty"`
	Says    string    `json:"says"`    // the verdict in one sentence, with its numbers, for people
	Change  string    `json:"change"`  // what would make it another verdict
	Do      string    `json:"do"`      // what to do; empty where nothing is to be done
	Runbook string    `json:"runbook"` // the page that says more, below docs/runbooks/
	Since   time.Time `json:"since"`   // the first sample of the window
	At      time.Time `json:"at"`      // the last one
	Samples int       `json:"samples"`
	// Evidence is what the verdict rests on.
	Evidence []Evidence `json:"evidence"`
	// Capacity is there where jobs ran within the window.
	Capacity *Capacity `json:"capacity,omitempty"`
}

// Evidence is one fact: a number, or ids, or both.
type Evidence struct {
	Name    string     `json:"name"`
	Value   float64    `json:"value"`
	Unit    string     `json:"unit,omitempty"`
	Jobs    []queue.ID `json:"jobs,omitempty"`    // at most 10
	Workers []string   `json:"workers,omitempty"` // at most 10
	Text    string     `json:"text,omitempty"`
}

// Capacity compares what comes with what can be done (Little's law).
type Capacity struct {
	Arrivals    float64       `json:"arrivals_per_second"`
	Completions float64       `json:"completions_per_second"`
	MeanRun     time.Duration `json:"mean_run_ns"`
	Slots       int           `json:"slots"`
	Busy        float64       `json:"busy"`         // on average
	Needed      int           `json:"slots_needed"` // so that 80 % are busy
	// Drained is when the backlog will be gone at this pace; zero: never, or there is none.
	Drained time.Time `json:"drained,omitzero"`
}
