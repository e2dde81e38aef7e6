package history

// Rule is one sentence that every history keeps.
type Rule string

// The rules, as a breach names them.
const (
	Fence      Rule = "extend and settle succeed only under the lease that the job carries"
	Held       Rule = "a lease that is held is not refused"
	OneLease   Rule = "a lease is replaced only after it ran out"
	TokenRises Rule = "each claim raises the token"
	Derived    Rule = "a lease's id is made of the claim, the job and the token"
	Terminal   Rule = "a job that ended changes only by redrive and discard"
	Lost       Rule = "an accepted job is known until it is pruned"
	Once       Rule = "an id that is known is not stored again"
	Identity   Rule = "one id has one fingerprint"
	Counted    Rule = "a count rises by one for its own event, and only a redrive resets it"
	Alone      Rule = "a suspect goes only to a claim that runs it alone"
	Early      Rule = "no job is leased before its time"
	Operated   Rule = "cancel, redrive, resolve and discard ask for the state that they need"
	Seen       Rule = "what is told of a job is what it is"
)
