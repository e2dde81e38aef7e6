package history

import (
	"github.com/twicehq/twice/queue"
)

// Job is what the protocol says of one job: its stored row, without payload and texts. Its methods are the
// transitions, each a pure function; those that need something of the row say so, and the caller asks before.
// Two rows of the same value behave alike, so a Job can be compared and be a key.
type Job struct {
	Known  bool // an engine has a row of it
	Print  uint64
	State  queue.State
	Token  int64
	Lease  string // the id of the lease that the row carries; empty: none; Somebody: one that nobody was told of
	Last   End    // the last settlement that was applied, until the next claim
	Counts queue.Counts
	Lone   bool
	Doubt  bool  // dead, and nobody can tell whether an effect happened
	Until  int64 // before it the lease has not run out; ns
	Due    int64 // before it a queued job is not leased; ns
	Unseen int   // claims of it so far that nobody was told of
}

// Somebody holds a lease whose claim was answered to nobody.
const Somebody = "somebody"

// End is what makes two settlements the same.
type End struct {
	Lease   string
	State   queue.State
	Outcome queue.Outcome
}

// Enqueued is a row that was not known before. Its token starts above every token before it.
func (j Job) Enqueued(print uint64, due int64) Job {
	return Job{Known: true, Print: print, State: queue.Queued, Token: j.Token, Due: due, Unseen: j.Unseen}
}

// Living reports whether a claim may take it, as far as its state goes.
func (j Job) Living() bool { return j.Known && (j.State == queue.Queued || j.State == queue.Running) }

// Holds reports whether the row carries this lease. One that ran out is held until it is replaced.
func (j Job) Holds(lease string) bool {
	return j.Known && j.State == queue.Running && lease != "" && j.Lease == lease
}

// Claimed is the row under a new lease. Where it replaces one that was lost with no word, that is a crash.
func (j Job) Claimed(lease string, token, until int64) Job {
	if j.State == queue.Running {
		j.Counts.Crashes++
	}
	j.State, j.Lease, j.Token, j.Last, j.Until, j.Due = queue.Running, lease, token, End{}, until, 0
	return j
}

// Marks reports whether a claim in company that finds this row's lease run out makes it a suspect instead of leasing it.
func (j Job) Marks(limit int) bool {
	return j.State == queue.Running && limit >= 2 && j.Counts.Crashes+1 == limit-1
}

// Marked is the row after such a claim.
func (j Job) Marked() Job {
	j.Counts.Crashes++
	j.State, j.Lease, j.Last, j.Until, j.Due, j.Lone = queue.Queued, "", End{}, 0, 0, true
	j.Token++
	return j
}

// Extended is the row whose lease runs on; it must be held.
func (j Job) Extended(until int64) Job {
	j.Until = until
	return j
}

// Settled is the row after a settlement by the lease that it carries.
func (j Job) Settled(end End, count queue.Counter, lone, doubt bool, due int64) Job {
	switch count {
	case queue.CountFailure:
		j.Counts.Failures++
	case queue.CountInterruption:
		j.Counts.Interruptions++
	case queue.CountSnooze:
		j.Counts.Snoozes++
	}
	j.State, j.Lease, j.Until, j.Last, j.Due = end.State, "", 0, end, 0
	switch end.State {
	case queue.Queued:
		j.Due, j.Lone = due, j.Lone || lone
	case queue.Dead:
		j.Doubt = doubt
	}
	return j
}

// Cancelled is the row after a person ended it, or discarded it.
func (j Job) Cancelled() Job {
	j.State, j.Lease, j.Until, j.Due, j.Doubt = queue.Cancelled, "", 0, 0, false
	return j
}

// Redriven is a dead row with fresh budgets; id and token stay.
func (j Job) Redriven() Job {
	j.State, j.Lone, j.Doubt, j.Due = queue.Queued, false, false, 0
	j.Counts = queue.Counts{Redrives: j.Counts.Redrives + 1}
	return j
}

// Forgotten is what stays of a row that was pruned: its token, which a new row starts above.
func (j Job) Forgotten() Job { return Job{Token: j.Token + 1, Unseen: j.Unseen} }

// Prunable reports whether an engine may forget the row by itself.
func (j Job) Prunable() bool {
	return j.Known && (j.State == queue.Done || j.State == queue.Cancelled)
}
