package lives

import "github.com/twicehq/twice/proof/explore"

const (
	timeA = "-DFENCE_A -DTIME -DFCAP=1"
	timeB = "-DFENCE_B -DTIME -DFCAP=1"
)

// Timed are lives in which time passes: what ended is forgotten, and asked for again.
var Timed = []explore.Life{
	{Name: "time: as it is", Defines: timeA + " -DMAXF=0 -DLATE_ORIGIN", States: 1265,
		Failures: 1, Crashes: 2, Instants: 3, Horizon: 1, Again: true},
	{Name: "time: the mark in one", Defines: timeA + " -DMAXF=1 -DLATE_ORIGIN", States: 21076, Patch: markInOne,
		Faults: 1, Failures: 1, Crashes: 2, Instants: 3, Horizon: 1, Again: true},
	{Name: "time: a later request", Defines: timeA + " -DMAXF=1 -DLATE_NEWER -DTMAX=1", States: 16697, Patch: markInOne,
		Faults: 1, Failures: 1, Crashes: 2, Instants: 2, Horizon: 1, AgainNewer: true},

	{Name: "time, apart", Defines: timeB + " -DMAXF=1 -DLATE_ORIGIN", States: 88463,
		Apart: true, Faults: 1, Failures: 1, Crashes: 2, Instants: 3, Horizon: 1, Again: true},
	{Name: "time, apart: two instants' horizon", Defines: timeB + " -DMAXF=0 -DLATE_ORIGIN -DH=2 -DTMAX=3", States: 4112,
		Apart: true, Failures: 1, Crashes: 2, Instants: 4, Horizon: 2, Again: true},
	{Name: "time, apart: cancelled", Defines: timeB + " -DMAXF=0 -DLATE_ORIGIN -DCANCEL -DTMAX=1", States: 29678,
		Apart: true, Failures: 1, Crashes: 2, Cancels: 1, Instants: 2, Horizon: 1, Again: true},
	{Name: "time, apart: a later request", Defines: timeB + " -DMAXF=0 -DLATE_NEWER", States: 8621,
		Apart: true, Failures: 1, Crashes: 2, Instants: 3, Horizon: 1, AgainNewer: true},
	{Name: "time, apart: pruned", Defines: timeB + " -DMAXF=1 -DLATE_ORIGIN -DPRUNE -DTMAX=1", States: 30515,
		Apart: true, Faults: 1, Failures: 1, Crashes: 2, Instants: 2, Horizon: 1, Again: true, Prune: true},
	{Name: "time, apart: no origin", Defines: timeB + " -DMAXF=1 -DLATE_NOORIGIN -DALLOWRERUN -DTMAX=1", States: 40375,
		Apart: true, Faults: 1, Failures: 1, Crashes: 2, Instants: 2, Horizon: 1, AgainUnsaid: true, Rerun: true},
	{Name: "time, apart: marks in turn", Defines: timeB + " -DMAXF=1 -DLATE_ORIGIN -DTMAX=1", States: 30780, Patch: marksInTurn,
		Apart: true, Faults: 1, Failures: 1, Crashes: 2, Instants: 2, Horizon: 1, Again: true, Marks: true},
}

var longerTimed = []explore.Life{
	{Name: "time: redriven", Defines: timeA + " -DMAXF=1 -DLATE_ORIGIN -DREDRIVE", States: 150813, Patch: markInOne,
		Faults: 1, Failures: 1, Crashes: 2, Redrives: 1, Instants: 3, Horizon: 1, Again: true},
	{Name: "time: later, redriven", Defines: timeA + " -DMAXF=1 -DLATE_NEWER -DREDRIVE", States: 532962, Patch: markInOne,
		Faults: 1, Failures: 1, Crashes: 2, Redrives: 1, Instants: 3, Horizon: 1, AgainNewer: true},
	{Name: "time: redriven, cancelled", Defines: timeA + " -DMAXF=1 -DLATE_ORIGIN -DREDRIVE -DCANCEL", States: 1323509, Patch: markInOne,
		Faults: 1, Failures: 1, Crashes: 2, Redrives: 1, Cancels: 1, Instants: 3, Horizon: 1, Again: true},
	{Name: "time: pruned, cancelled", Defines: timeA + " -DMAXF=1 -DLATE_ORIGIN -DPRUNE -DCANCEL -DTMAX=1", States: 193825, Patch: markInOne,
		Faults: 1, Failures: 1, Crashes: 2, Cancels: 1, Instants: 2, Horizon: 1, Again: true, Prune: true},

	{Name: "time, apart: redriven", Defines: timeB + " -DMAXF=1 -DLATE_ORIGIN -DREDRIVE", States: 641487,
		Apart: true, Faults: 1, Failures: 1, Crashes: 2, Redrives: 1, Instants: 3, Horizon: 1, Again: true},
	{Name: "time, apart: redriven, cancelled", Defines: timeB + " -DMAXF=0 -DLATE_ORIGIN -DCANCEL -DREDRIVE", States: 668091,
		Apart: true, Failures: 1, Crashes: 2, Redrives: 1, Cancels: 1, Instants: 3, Horizon: 1, Again: true},
	{Name: "time, apart: a fault, cancelled", Defines: timeB + " -DMAXF=1 -DLATE_ORIGIN -DCANCEL -DTMAX=1", States: 912807,
		Apart: true, Faults: 1, Failures: 1, Crashes: 2, Cancels: 1, Instants: 2, Horizon: 1, Again: true},
	{Name: "time, apart: later, redriven", Defines: timeB + " -DMAXF=1 -DLATE_NEWER -DREDRIVE", States: 2215840,
		Apart: true, Faults: 1, Failures: 1, Crashes: 2, Redrives: 1, Instants: 3, Horizon: 1, AgainNewer: true},
	{Name: "time, apart: pruned, a fault", Defines: timeB + " -DMAXF=1 -DLATE_ORIGIN -DPRUNE", States: 178064,
		Apart: true, Faults: 1, Failures: 1, Crashes: 2, Instants: 3, Horizon: 1, Again: true, Prune: true},
	{Name: "time, apart: pruned, cancelled", Defines: timeB + " -DMAXF=0 -DLATE_ORIGIN -DPRUNE -DCANCEL", States: 674340,
		Apart: true, Failures: 1, Crashes: 2, Cancels: 1, Instants: 3, Horizon: 1, Again: true, Prune: true},
	{Name: "time, apart: no origin, redriven", Defines: timeB + " -DMAXF=1 -DLATE_NOORIGIN -DALLOWRERUN -DREDRIVE", States: 1746665,
		Apart: true, Faults: 1, Failures: 1, Crashes: 2, Redrives: 1, Instants: 3, Horizon: 1, AgainUnsaid: true, Rerun: true},
	{Name: "time, apart: all requests", Defines: timeB + " -DMAXF=0 -DLATE_NOORIGIN -DALLOWRERUN -DCANCEL -DLATE_ORIGIN", States: 846439,
		Apart: true, Failures: 1, Crashes: 2, Cancels: 1, Instants: 3, Horizon: 1, AgainUnsaid: true, Rerun: true, Again: true},
	{Name: "time, apart: horizon, a fault", Defines: timeB + " -DMAXF=1 -DLATE_ORIGIN -DH=2 -DTMAX=3", States: 174626,
		Apart: true, Faults: 1, Failures: 1, Crashes: 2, Instants: 4, Horizon: 2, Again: true},
	{Name: "time, apart: in turn, cancelled", Defines: timeB + " -DMAXF=1 -DLATE_ORIGIN -DCANCEL -DTMAX=1", States: 1449283, Patch: marksInTurn,
		Apart: true, Faults: 1, Failures: 1, Crashes: 2, Cancels: 1, Instants: 2, Horizon: 1, Again: true, Marks: true},
	{Name: "time, apart: in turn, pruned", Defines: timeB + " -DMAXF=0 -DLATE_ORIGIN -DCANCEL -DPRUNE", States: 1297267, Patch: marksInTurn,
		Apart: true, Failures: 1, Crashes: 2, Cancels: 1, Instants: 3, Horizon: 1, Again: true, Prune: true, Marks: true},
	{Name: "time, apart: in turn, later", Defines: timeB + " -DMAXF=1 -DLATE_NEWER", States: 581491, Patch: marksInTurn,
		Apart: true, Faults: 1, Failures: 1, Crashes: 2, Instants: 3, Horizon: 1, AgainNewer: true, Marks: true},
}
