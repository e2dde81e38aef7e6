package lives

import "github.com/twicehq/twice/proof/explore"

// apart are lives with a ledger that is a store of its own: what ends a job is sealed first.
var apart = []explore.Life{
	{Name: "apart: cancelled", Defines: "-DFENCE_B -DMAXF=1 -DFCAP=1 -DCANCEL", States: 68408,
		Apart: true, Faults: 1, Failures: 1, Crashes: 2, Cancels: 1},
	{Name: "apart: redriven", Defines: "-DFENCE_B -DMAXF=1 -DREDRIVE", States: 64939,
		Apart: true, Reread: true, Faults: 1, Failures: 2, Crashes: 2, Redrives: 1},
	{Name: "apart: redriven, by the lease", Defines: "-DFENCE_B -DMAXF=1 -DREDRIVE", States: 59899, Patch: byLease,
		Apart: true, Faults: 1, Failures: 2, Crashes: 2, Redrives: 1},
	{Name: "apart: lost replies", Defines: "-DFENCE_B -DMAXF=1 -DFCAP=1 -DREDRIVE -DREPEAT", States: 19783,
		Apart: true, Faults: 1, Failures: 1, Crashes: 2, Redrives: 1, Repeat: true},
	{Name: "apart: two counters", Defines: "-DFENCE_B -DMAXF=1 -DFCAP=1 -DICAP=2", States: 19500,
		Apart: true, Reread: true, Faults: 1, Failures: 1, Crashes: 2, Interruptions: 2},
}

var longerApart = []explore.Life{
	{Name: "apart: a life", Defines: "-DFENCE_B -DMAXF=1 -DCANCEL -DREDRIVE -DDISCARD", States: 1962311,
		Apart: true, Reread: true, Faults: 1, Failures: 2, Crashes: 2, Redrives: 1, Cancels: 1, Discards: 1},
	{Name: "apart: by the lease", Defines: "-DFENCE_B -DMAXF=1 -DREDRIVE -DCANCEL", States: 1847719, Patch: byLease,
		Apart: true, Faults: 1, Failures: 2, Crashes: 2, Redrives: 1, Cancels: 1},
}
