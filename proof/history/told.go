package history

import (
	"github.com/twicehq/twice/queue"
)

func (w *world) operate(j Job, op Op) ([]Job, *Breach) {
	var may bool
	var next Job
	switch op.Call {
	case Cancel:
		may, next = j.Living(), j.Cancelled()
	case Discard:
		may, next = j.Known && j.State == queue.Dead, j.Cancelled()
	case Redrive:
		may, next = j.Known && j.State == queue.Dead && !j.Doubt && j.Counts.Redrives < queue.MaxRedrives, j.Redriven()
	case Resolve:
		may, next = j.Known && j.State == queue.Dead && j.Doubt && j.Counts.Redrives < queue.MaxRedrives, j.Redriven()
	}
	switch {
	case op.Answer == NotFound && j.Known:
		return nil, breach(Lost, "it is not found; it should be %s", j.State)
	case op.Answer == Refused && may:
		return nil, breach(Operated, "%s was refused while the job was %s", op.Call, j.State)
	case op.Answer == LeaseLost && !op.Sealed:
		return nil, breach(Operated, "%s was told of a lease", op.Call)
	case op.Answer == OK && !may:
		rule := Operated
		if j.State.Ended() {
			rule = Terminal
		}
		return nil, breach(rule, "%s succeeded while the job was %s", op.Call, stateOf(j))
	case op.Answer == OK && op.Sealed && op.Token != j.Token && j.Lease != Somebody:
		return nil, breach(Fence, "it was sealed at token %d, and cancelled at %d", op.Token, j.Token)
	case op.Answer == OK:
		return []Job{next}, nil
	}
	return []Job{j}, nil
}

func (w *world) look(j Job, op Op) ([]Job, *Breach) {
	switch {
	case op.Answer == NotFound && j.Known:
		return nil, breach(Lost, "it is not found; it should be %s", j.State)
	case op.Answer != OK:
		return []Job{j}, nil
	case !j.Known:
		return nil, breach(Once, "a job that nobody enqueued is %s", op.State)
	case op.State != j.State:
		return nil, seen(j, op.State)
	case op.Token < j.Token || op.Token > j.Token && j.Lease != Somebody && !j.Lone:
		return nil, breach(TokenRises, "its token is %d, and should be %d", op.Token, j.Token)
	case op.Whole && op.Counts != j.Counts:
		return nil, breach(Counted, "it has %+v, and should have %+v", op.Counts, j.Counts)
	}
	return []Job{j}, nil
}

// seen says that a state is not what it should be.
func seen(j Job, state queue.State) *Breach {
	if j.State.Ended() {
		return breach(Terminal, "it is %s, and was %s", state, j.State)
	}
	return breach(Seen, "it is %s, and should be %s", state, j.State)
}

func stateOf(j Job) string {
	if !j.Known {
		return "not known"
	}
	return j.State.String()
}
