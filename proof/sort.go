package proof

// Sort is a sort of schedule: what is done to the attempts.
type Sort string

// The sorts, in the order in which they are explored: what is short to tell comes first.
const (
	Crash       Sort = "crash"        // the process ends before or after a call, with all that was in its memory
	Lost        Sort = "lost reply"   // the remote acted, and the handler gets an error
	Error       Sort = "error"        // a call fails, and nothing was done
	Redrive     Sort = "redrive"      // the job dies at a call that fails, and a person sends it back
	Zombie      Sort = "zombie"       // an attempt stands still, another runs to its end, the first goes on
	SecondCrash Sort = "second crash" // the attempt after a crash crashes, too
	Duplicate   Sort = "duplicate"    // two attempts side by side: the first stands, the second goes on and stands, the first ends, then the second
	Late        Sort = "late"         // all is forgotten: the request comes again, and a lost attempt runs at last
)

// Sorts gives all sorts, in the order in which they are explored. The caller may change what it got.
func Sorts() []Sort {
	return []Sort{Crash, Lost, Error, Redrive, Zombie, SecondCrash, Duplicate, Late}
}

// clean is the sort of runs to which nothing is done.
const clean Sort = "clean run"

// advice says what is wrong with handlers that such a schedule breaks, and what helps.
var advice = map[Sort]string{
	clean:       "Two clean runs must look alike. Let Observe leave out what differs by nature: times, random ids, the order of a map.",
	Crash:       "A crash takes the memory of what was done with it. An effect outside goes through ledger.Once, with the key that it gives; a change of the own database goes into the transaction that records it (ledger.Within).",
	Lost:        "An error is not a no: the call may have been carried out. Return it, and let the next attempt ask by the same key (ledger.Once). ledger.NotDone is only for a remote that said no.",
	Error:       "A call that failed did nothing. Return its error, so that the job is tried again; nothing may be recorded or undone on account of it.",
	Redrive:     "A redriven job keeps its id, and its effects stay recorded. Nothing in an effect's key or condition may depend on counts, attempts or time.",
	Zombie:      "Between a check and the act that follows, another attempt can do both. Only a condition within the write itself holds: a unique index, a compare-and-set, the ledger.",
	SecondCrash: "The recovery must bear a crash as well as the first run does: it may assume nothing of how far an earlier one got.",
	Duplicate:   "Two attempts can be at work at once, whatever the lease. Only a condition within the write itself holds: a unique index, a compare-and-set, the ledger.",
	Late:        "A mark of its own that is forgotten guards nothing. The ledger's mark refuses every attempt that is older than what is kept: let the effect go through it.",
}

// missing is the advice where something was not done at all.
const missing = "The job is done, and a part of it was never made. What a step records, or answers for with Confirm, must be all that it does: give each effect a step of its own, and return every error."
