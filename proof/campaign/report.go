package campaign

import (
	"fmt"
	"strings"
	"time"

	"github.com/twicehq/twice/queue"
)

// Report is what a campaign did and saw. As JSON it is the campaign's evidence.
type Report struct {
	Name         string        `json:"name"`
	Engine       string        `json:"engine"`
	Durability   string        `json:"durability"`
	Attack       string        `json:"attack"`
	Control      Control       `json:"control,omitempty"`
	Seed         uint64        `json:"seed"`
	Jobs         int           `json:"jobs"`
	Repeats      int           `json:"enqueued_again"` // requests that were sent again
	Workers      int           `json:"workers"`
	Concurrency  int           `json:"concurrency"`
	LeaseMS      int64         `json:"lease_ms"`
	MaxCrashes   int           `json:"crash_cap"`
	Lone         bool          `json:"lone_processes"`
	Strikes      int           `json:"strikes"`
	StruckAt     map[Point]int `json:"struck_at"` // the points at which the attack struck
	Restarts     int           `json:"restarts"`
	Starts       int           `json:"starts"`
	StartedTwice int           `json:"started_twice"` // jobs that were started more than once
	MostStarts   int           `json:"most_starts"`   // of one job
	AskedAgain   int           `json:"asked_again"`   // charges that the remote was asked for more than once
	LeasesLost   int           `json:"leases_lost"`   // attempts that were told so
	Overtaken    int           `json:"overtaken"`     // frozen workers of which a job went on elsewhere meanwhile
	Suspects     int           `json:"suspects"`      // runs of jobs one crash short of their cap
	Redriven     int           `json:"redriven"`      // by a person, after they had given up
	InDoubt      int           `json:"in_doubt"`      // parked for a person, answered by the remote's log, and run again
	Done         int           `json:"done"`
	Dead         int           `json:"dead"`
	Produced     int           `json:"produced"`   // jobs of producers' processes
	Pressed      int           `json:"pressed"`    // jobs that were sent around strikes, one a request
	Unanswered   int           `json:"unanswered"` // requests that were not answered at first, and so sent again
	Outages      Outages       `json:"outages"`
	Lost         int           `json:"lost"`
	Unexpected   int           `json:"unexpected"`
	Twice        int           `json:"effects_twice"`
	Points       map[Point]int `json:"points"` // how often each was passed
	History      *Recorded     `json:"history,omitempty"`
	Breaches     []Breach      `json:"breaches"`
	Seconds      float64       `json:"seconds"`
}

// OK reports whether no rule was broken.
func (r Report) OK() bool { return len(r.Breaches) == 0 }

// Broken gives how often a rule was broken.
func (r Report) Broken(rule string) int {
	for _, b := range r.Breaches {
		if b.Rule == rule {
			return b.N
		}
	}
	return 0
}

// String gives the report for people.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s on %s: %s, seed %d, %.1fs\n", r.Name, r.Engine, r.Attack, r.Seed, r.Seconds)
	fmt.Fprintf(&b, "  the engine says: %s\n", r.Durability)
	if r.Control != "" {
		fmt.Fprintf(&b, "  control: %s\n", r.Control)
	}
	fmt.Fprintf(&b, "  %d strikes %v, %d restarts; %d jobs, %d requests sent again\n", r.Strikes, r.StruckAt, r.Restarts, r.Jobs, r.Repeats)
	fmt.Fprintf(&b, "  %d starts; started twice %d (one job %d times), charges asked for again %d, leases lost %d, overtaken %d, suspects %d, in doubt %d\n",
		r.Starts, r.StartedTwice, r.MostStarts, r.AskedAgain, r.LeasesLost, r.Overtaken, r.Suspects, r.InDoubt)
	if r.Redriven > 0 {
		fmt.Fprintf(&b, "  %d jobs gave up and were redriven\n", r.Redriven)
	}
	if r.Produced > 0 {
		fmt.Fprintf(&b, "  %d of the jobs were enqueued by processes that were killed at it\n", r.Produced)
	}
	if r.Pressed > 0 {
		fmt.Fprintf(&b, "  %d jobs sent around the strikes, one a request; %d requests not answered at first, and sent again\n", r.Pressed, r.Unanswered)
	}
	if o := r.Outages; o.N > 0 {
		fmt.Fprintf(&b, "  the server was down %d times, for at most %.2fs; then a job began after at most %.2fs, and in every worker after at most %.2fs\n", o.N, o.Down, o.First, o.Every)
	}
	fmt.Fprintf(&b, "  done %d, dead %d, lost %d, unexpected %d, effects twice %d", r.Done, r.Dead, r.Lost, r.Unexpected, r.Twice)
	if r.History != nil {
		fmt.Fprintf(&b, "\n  history, %s: %s", r.History.What, r.History)
	}
	for _, breach := range r.Breaches {
		fmt.Fprintf(&b, "\n  BROKEN %s: %d", breach.Rule, breach.N)
		for _, x := range breach.Examples {
			fmt.Fprintf(&b, "\n    %s", x)
		}
	}
	return b.String()
}

// report sums the evidence up.
func (f *Field) report(e *evidence, began time.Time) Report {
	cfg, traits := f.cfg, f.Store.Engine.Traits()
	r := Report{Name: cfg.Name, Engine: traits.Name, Durability: traits.Durability, Attack: cfg.Attack.Name, Control: cfg.Control, Seed: cfg.Seed,
		Jobs: len(e.accepted), Workers: cfg.Workers, Concurrency: cfg.Concurrency, LeaseMS: cfg.Lease.Milliseconds(), MaxCrashes: cfg.MaxCrashes, Lone: cfg.Lone,
		Strikes: e.attack.made, Restarts: f.Restarts(), StartedTwice: e.startedTwice(), LeasesLost: f.Count(LeaseLost), Overtaken: f.Count(Overtaken), Suspects: f.Count(Suspect),
		Pressed: f.world.pressed, Unanswered: f.world.unanswered, Outages: f.world.outages.Outages,
		Points: f.world.points, Breaches: e.check(), Seconds: time.Since(began).Seconds()}
	for _, n := range e.accepted {
		if n >= firstProduced && n < firstPressed {
			r.Produced++
		}
	}
	for _, s := range e.told {
		n := 0
		for _, times := range s.begun {
			n += times
		}
		r.Starts += n
		r.MostStarts = max(r.MostStarts, n)
	}
	_, calls, _ := f.Remote.book()
	for _, n := range calls {
		if n > 1 {
			r.AskedAgain++
		}
	}
	for _, j := range e.jobs {
		switch j.record.State {
		case queue.Done:
			r.Done++
		case queue.Dead:
			r.Dead++
		}
	}
	history, broken := f.chronicle.judge(f.Store, e.accepted)
	r.History, r.Breaches = history, append(r.Breaches, broken...)
	r.Lost, r.Unexpected, r.Twice = r.Broken(RuleLost), r.Broken(RuleUnexpected), r.Broken(RuleTwice)
	return r
}
