// Package lives has lives of a job to walk through, each with the number of states that the model has of it, and the engine
// and the ledger in memory to walk them on.
package lives

import "github.com/twicehq/twice/proof/explore"

// All are walked by every run, each with the number of states that spin counts of the model: see explore.Spin. The
// tests of package explore ask it again with -record.
var All = append(append([]explore.Life{
	{Name: "a life", Defines: "-DFENCE_A -DMAXF=1 -DCANCEL -DREDRIVE -DDISCARD", States: 239279,
		Faults: 1, Failures: 2, Crashes: 2, Redrives: 1, Cancels: 1, Discards: 1},
	{Name: "lost replies, two faults", Defines: "-DFENCE_A -DMAXF=2 -DCANCEL -DREPEAT", States: 209090,
		Faults: 2, Failures: 2, Crashes: 2, Cancels: 1, Repeat: true},
	{Name: "lost replies, redriven", Defines: "-DFENCE_A -DMAXF=1 -DREDRIVE -DREPEAT", States: 50720,
		Faults: 1, Failures: 2, Crashes: 2, Redrives: 1, Repeat: true},
	{Name: "all counters", Defines: "-DFENCE_A -DMAXF=1 -DICAP=2 -DSCAP=2", States: 125674,
		Faults: 1, Failures: 2, Crashes: 2, Interruptions: 2, Snoozes: 2},
	{Name: "three counters, redriven", Defines: "-DFENCE_A -DFCAP=1 -DMAXF=0 -DICAP=2 -DSCAP=2 -DREDRIVE", States: 49838,
		Failures: 1, Crashes: 2, Interruptions: 2, Snoozes: 2, Redrives: 1},
	{Name: "suspects run alone", Defines: "-DFENCE_A -DFCAP=1 -DDISCARD -DLONE -DCCAP=3 -DMAXF=3 -DMAXRED=0", States: 10135,
		Patch: suspectsAlone, Faults: 3, Failures: 1, Crashes: 3, Discards: 1, Lone: true},
}, apart...), Timed...)

// Longer are walked when asked for, or when evidence is recorded: minutes, and up to 1 GB.
var Longer = append(append([]explore.Life{
	{Name: "three counters, a fault, redriven", Defines: "-DFENCE_A -DFCAP=1 -DMAXF=1 -DICAP=2 -DSCAP=2 -DREDRIVE", States: 653526,
		Faults: 1, Failures: 1, Crashes: 2, Interruptions: 2, Snoozes: 2, Redrives: 1},
	{Name: "all counters, cancelled", Defines: "-DFENCE_A -DMAXF=1 -DICAP=2 -DSCAP=2 -DCANCEL", States: 1448229,
		Faults: 1, Failures: 2, Crashes: 2, Interruptions: 2, Snoozes: 2, Cancels: 1},
}, longerApart...), longerTimed...)

// Count walks through a life on the engine and the ledger in memory.
func Count(l explore.Life) (explore.Counted, error) {
	b := explore.Bounds{Instants: l.Instants, Horizon: l.Horizon}
	return explore.Count(Memory(b), Ledger(b), l)
}
