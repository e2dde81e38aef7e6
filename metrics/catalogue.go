package metrics

import "slices"

// Kind is the sort of a metric.
type Kind uint8

const (
	Counter   Kind = iota + 1 // only rises, from 0 at the start of the process
	Gauge                     // goes up and down
	Histogram                 // durations by size
)

// Desc describes a metric.
type Desc struct {
	Name   string
	Help   string
	Kind   Kind
	Unit   string    // "s", or "" where things are counted
	Labels []string  // the names, in the order of Point.Labels
	Bounds []float64 // of a histogram: the upper bounds of its buckets, ascending
	Global bool      // the same on every replica: take the max over replicas, not the sum
}

// The label, and its value, that exporters add to global metrics.
const (
	ScopeLabel  = "scope"
	ScopeEngine = "engine"
)

const globalHelp = "Global, the same on every replica: max, not sum. Absent while unknown. "

// Buckets reach from a wake-up at once to a backlog of hours, and from a no-op to beyond the default timeout.
var (
	waitBounds = []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 14400}
	runBounds  = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800}
)

var (
	descUp         = Desc{Name: "twice_up", Kind: Gauge, Help: "1 while the engine answers this process, 0 while it does not: then every global metric is unknown, and absent."}
	descJobs       = Desc{Name: "twice_queue_jobs", Kind: Gauge, Global: true, Labels: []string{"queue", "state"}, Help: "Jobs by stored state."}
	descAge        = Desc{Name: "twice_queue_oldest_age_seconds", Kind: Gauge, Unit: "s", Global: true, Labels: []string{"queue"}, Help: "For how long the oldest due job has been due; 0 where none is."}
	descVerdict    = Desc{Name: "twice_queue_verdict", Kind: Gauge, Global: true, Labels: []string{"queue", "verdict"}, Help: "1 for the verdict on the queue; the others are absent."}
	descNeeded     = Desc{Name: "twice_slots_needed", Kind: Gauge, Global: true, Labels: []string{"queue"}, Help: "Slots that would do what arrives with 80 % of them busy, on all workers together."}
	descDoubt      = Desc{Name: "twice_in_doubt", Kind: Gauge, Global: true, Help: "Dead jobs of which nobody can tell whether an effect happened; at most 1000 are counted, and they are read at most once a minute."}
	descWait       = Desc{Name: "twice_job_wait_seconds", Kind: Histogram, Unit: "s", Labels: []string{"queue", "kind"}, Bounds: waitBounds, Help: "From when a job was to run to its first start, where the job says when."}
	descRun        = Desc{Name: "twice_job_run_seconds", Kind: Histogram, Unit: "s", Labels: []string{"queue", "kind"}, Bounds: runBounds, Help: "How long handlers ran, however they ended."}
	descEnded      = Desc{Name: "twice_jobs_ended_total", Kind: Counter, Labels: []string{"queue", "kind", "outcome"}, Help: "Attempts ended and settled, by outcome. A crash is counted by the engine, not here."}
	descEnqueued   = Desc{Name: "twice_enqueued_total", Kind: Counter, Labels: []string{"queue", "kind", "status"}, Help: "Jobs enqueued, by the receipt's status; error: the call failed, and nothing is known of them."}
	descSlots      = Desc{Name: "twice_worker_slots", Kind: Gauge, Labels: []string{"state"}, Help: "Slots of this process's workers: free, busy, or deaf (written off)."}
	descPollAge    = Desc{Name: "twice_worker_poll_age_seconds", Kind: Gauge, Unit: "s", Help: "Since the engine last answered a claim; the oldest of this process's workers. It grows while all slots are busy, too."}
	descLost       = Desc{Name: "twice_leases_lost_total", Kind: Counter, Help: "Attempts whose lease another claim took. A job that a person cancelled is not counted here."}
	descPruned     = Desc{Name: "twice_pruned_total", Kind: Counter, Help: "Ended jobs that this process's workers let the engine forget."}
	descMissed     = Desc{Name: "twice_schedule_missed_total", Kind: Counter, Help: "Instants of cron entries that were missed and are not made up for."}
	descOrphans    = Desc{Name: "twice_orphans_repaired_total", Kind: Counter, Help: "Jobs that stood where their record does not say, and were put right."}
	descInvariants = Desc{Name: "twice_invariant_broken_total", Kind: Counter, Labels: []string{"invariant"}, Help: "Findings that something is not as it must always be. Never above 0 in order."}
	descCapped     = Desc{Name: "twice_series_capped_total", Kind: Counter, Help: "Events and queues shown under the name other, since there are more names than the cap or the name is none."}
)

var all = func() []Desc {
	list := []*Desc{&descUp, &descJobs, &descAge, &descVerdict, &descNeeded, &descDoubt, &descWait, &descRun, &descEnded, &descEnqueued,
		&descSlots, &descPollAge, &descLost, &descPruned, &descMissed, &descOrphans, &descInvariants, &descCapped}
	out := make([]Desc, len(list))
	for i, d := range list {
		if d.Global {
			d.Help = globalHelp + d.Help
		}
		out[i] = *d
	}
	return out
}()

// All gives every metric there is, in the order of Read.
func All() []Desc { return slices.Clone(all) }

// Family is a metric with its values at a moment.
type Family struct {
	Desc
	Points []Point
}

// Point is one value. Of a histogram, Buckets holds what fell into each bucket (not added up; one more than there are
// bounds, the last for what is above all), and Sum the sum in the metric's unit.
type Point struct {
	Labels  []string // the values, in the order of Desc.Labels
	Value   float64
	Buckets []uint64
	Sum     float64
}
