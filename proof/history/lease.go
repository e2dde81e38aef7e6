package history

import (
	"encoding/hex"
	"time"

	"github.com/twicehq/twice/queue"
)

func (w *world) claim(j Job, op Op) ([]Job, *Breach) {
	if wrong := derived(op); wrong != nil {
		return nil, wrong
	}
	crashed := j.State == queue.Running
	want := j.Counts
	if crashed {
		want.Crashes++
	}
	switch {
	case !j.Known:
		return nil, breach(Lost, "a lease was given of a job that is not known")
	case j.Holds(op.Lease) && j.Token == op.Token:
		return []Job{j}, nil // asked again
	case j.State.Ended():
		return nil, breach(Terminal, "it was leased while it was %s", j.State)
	case op.Token <= j.Token:
		return nil, breach(TokenRises, "token %d after %d", op.Token, j.Token)
	case crashed && op.ClaimedAt+w.slack < j.Until:
		return nil, breach(OneLease, "the lease before it had %s to run", time.Duration(j.Until-op.ClaimedAt))
	case !crashed && op.ClaimedAt+w.slack < j.Due:
		return nil, breach(Early, "it was leased %s too soon", time.Duration(j.Due-op.ClaimedAt))
	case op.Counts != want:
		return nil, breach(Counted, "it has %+v, and should have %+v", op.Counts, want)
	case op.Lone != j.Lone:
		return nil, breach(Seen, "it is said to be a suspect: %v; it is one: %v", op.Lone, j.Lone)
	case j.Lone != op.Alone, !op.Alone && j.Marks(op.Cap):
		return nil, breach(Alone, "a claim for suspects: %v; a suspect: %v; crashes %d of %d", op.Alone, j.Lone, want.Crashes, op.Cap)
	}
	return []Job{j.Claimed(op.Lease, op.Token, op.Until)}, nil
}

// derived checks the lease's id; a claim that did not say its id cannot be checked.
func derived(op Op) *Breach {
	var id queue.ClaimID
	if b, err := hex.DecodeString(op.Claim); err != nil || copy(id[:], b) != len(id) {
		return nil
	}
	if want := id.Lease(op.Job, op.Token).String(); op.Lease != want {
		return breach(Derived, "lease %.8s, and not %.8s", op.Lease, want)
	}
	return nil
}

func (w *world) underLease(j Job, op Op) ([]Job, *Breach) {
	end := End{op.Lease, op.State, op.Outcome}
	held := j.Holds(op.Lease)
	again := op.Call == Settle && j.Known && j.Last == end
	switch op.Answer {
	case LeaseLost:
		if held || again {
			return nil, breach(Held, "it was refused while the job was %s at token %d", j.State, j.Token)
		}
	case OK:
		switch {
		case held && op.Call == Hold:
		case held && op.Call == Extend:
			return []Job{j.Extended(op.Start + int64(op.TTL))}, nil
		case held:
			return []Job{j.Settled(end, op.Counter, op.Lone, op.Doubt, op.RunAt)}, nil
		case again:
		case j.State.Ended():
			return nil, breach(Terminal, "it was changed while it was %s", j.State)
		default:
			return nil, breach(Fence, "it succeeded with token %d while the job was %s at token %d", op.Token, stateOf(j), j.Token)
		}
	}
	return []Job{j}, nil
}
