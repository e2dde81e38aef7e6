package prove

import (
	"github.com/twicehq/twice/proof/campaign"
)

// Figures are what was done and what was seen; those of rounds and of parts add up.
type Figures struct {
	Schedules    int `json:"schedules,omitempty"`     // of handlers, each in a fresh world
	States       int `json:"states,omitempty"`        // of model and code
	Kills        int `json:"kills,omitempty"`         // of worker processes
	Zombies      int `json:"zombies,omitempty"`       // workers that went on after a job of theirs had begun elsewhere
	Outages      int `json:"outages,omitempty"`       // ends of the engine's server
	Cuts         int `json:"cuts,omitempty"`          // power cuts, failing writes, jumps of the clock: as the part says
	Unanswered   int `json:"unanswered,omitempty"`    // requests whose reply was lost, and that were sent again
	Jobs         int `json:"jobs,omitempty"`          // accepted
	Operations   int `json:"operations,omitempty"`    // in recorded histories, each held to the rules and found linearizable
	Starts       int `json:"starts,omitempty"`        // of handlers
	StartedTwice int `json:"started_twice,omitempty"` // jobs that were started more than once
	AskedAgain   int `json:"asked_again,omitempty"`   // effects that a remote was asked for more than once
	Suspects     int `json:"suspects,omitempty"`      // run in a process of their own
	Redriven     int `json:"redriven,omitempty"`
	InDoubt      int `json:"in_doubt,omitempty"` // parked for a person, and answered
	Dead         int `json:"dead,omitempty"`
	Lost         int `json:"lost"`
	Unexpected   int `json:"unexpected"`
	Twice        int `json:"effects_twice"`
}

// add adds another's.
func (f *Figures) add(o Figures) {
	f.Schedules += o.Schedules
	f.States += o.States
	f.Kills += o.Kills
	f.Zombies += o.Zombies
	f.Outages += o.Outages
	f.Cuts += o.Cuts
	f.Unanswered += o.Unanswered
	f.Jobs += o.Jobs
	f.Operations += o.Operations
	f.Starts += o.Starts
	f.StartedTwice += o.StartedTwice
	f.AskedAgain += o.AskedAgain
	f.Suspects += o.Suspects
	f.Redriven += o.Redriven
	f.InDoubt += o.InDoubt
	f.Dead += o.Dead
	f.Lost += o.Lost
	f.Unexpected += o.Unexpected
	f.Twice += o.Twice
}

// count adds what a campaign reports. Kills are counted by the processes that had to be started again.
func (f *Figures) count(r campaign.Report) {
	f.add(Figures{Kills: r.Restarts, Zombies: r.Overtaken, Outages: r.Outages.N, Unanswered: r.Unanswered, Jobs: r.Jobs, Starts: r.Starts,
		StartedTwice: r.StartedTwice, AskedAgain: r.AskedAgain, Suspects: r.Suspects, Redriven: r.Redriven, InDoubt: r.InDoubt, Dead: r.Dead,
		Lost: r.Lost, Unexpected: r.Unexpected, Twice: r.Twice})
	if r.History != nil {
		f.Operations += r.History.Operations
	}
}

// Figure is one by its name.
type Figure struct {
	Name string
	N    int
}

// List gives all, in the order in which they are told.
func (f Figures) List() []Figure {
	return []Figure{{"schedules", f.Schedules}, {"states", f.States}, {"killed", f.Kills}, {"zombies", f.Zombies}, {"servers ended", f.Outages}, {"faults", f.Cuts},
		{"replies lost", f.Unanswered}, {"jobs", f.Jobs}, {"operations in histories", f.Operations}, {"starts", f.Starts}, {"started twice", f.StartedTwice}, {"asked for again", f.AskedAgain},
		{"run alone", f.Suspects}, {"redriven", f.Redriven}, {"in doubt", f.InDoubt}, {"dead", f.Dead}, {"LOST", f.Lost}, {"UNEXPECTED", f.Unexpected}, {"EFFECTS TWICE", f.Twice}}
}
