package explore

import (
	"fmt"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/proof/history"
	"github.com/twicehq/twice/queue"
)

// What is a sort of action.
type What uint8

// The actions, named as in the protocol.
const (
	Enqueue      What = iota + 1
	Duplicate         // the same request once more
	Other             // the same id with other content
	Claim             // by a claim of this number: a new one, or one made before that arrives again
	ClaimAlone        // the same, for suspects
	Extend            // of any lease that was ever given
	Settle            // the same
	Pass              // a lease's time passes, and the engine serves
	Freeze            // two leases' time passes and the engine stands still; then somebody asks for jobs
	Wait              // a delay passes
	Cancel            //
	CancelSealed      // only at this token
	Redrive           //
	Resolve           //
	Discard           //
	Prune             // after as long as an id is kept
)

// Act is one action on one job.
type Act struct {
	What  What
	Claim int64 // the claim's number; also of the lease
	Token int64
	End   queue.Outcome
	Doubt bool
	Later bool // a snooze that is not due at once
}

func (a Act) lease() name { return name{a.Claim, a.Token} }

func (a Act) delay() time.Duration {
	if a.Later {
		return delay
	}
	return 0
}

// String tells the action in words.
func (a Act) String() string {
	lease := fmt.Sprintf("the lease of token %d", a.Token)
	if a.Claim != a.Token {
		lease += fmt.Sprintf(" (claim %d)", a.Claim)
	}
	switch a.What {
	case Enqueue:
		return "the job is enqueued"
	case Duplicate:
		return "the same request comes again"
	case Other:
		return "another content comes under the same id"
	case Claim:
		return fmt.Sprintf("claim %d asks for jobs", a.Claim)
	case ClaimAlone:
		return fmt.Sprintf("claim %d asks for suspects", a.Claim)
	case Extend:
		return "the holder of " + lease + " extends it"
	case Settle:
		how := a.End.String()
		if a.Doubt {
			how += ", in doubt"
		}
		if a.Later {
			how += ", for later"
		}
		return "the holder of " + lease + " settles: " + how
	case Pass:
		return "a lease's time passes while the engine serves"
	case Freeze:
		return "two leases' time passes while the engine stands still, and then somebody asks for jobs"
	case Wait:
		return "the delay passes"
	case Cancel:
		return "a person cancels"
	case CancelSealed:
		return fmt.Sprintf("a person cancels what was sealed at token %d", a.Token)
	case Redrive:
		return "a person redrives"
	case Resolve:
		return "a person resolves the doubt"
	case Discard:
		return "a person discards"
	case Prune:
		return "the engine forgets what ended long ago"
	}
	return "?"
}

// Nothing is the answer to a claim that nothing was due for.
const Nothing history.Answer = "nothing"

func leasedAt(token int64) history.Answer {
	return history.Answer(fmt.Sprintf("a lease at token %d", token))
}

// Bounds of an exploration; all are small numbers, since states multiply.
type Bounds struct {
	Tokens   int64 // claims of the job, at most
	Redrives int
	Prune    bool // jobs that ended are forgotten, and enqueued anew
	Failures int  // caps
	Crashes  int
	// Interruptions and Snoozes are caps as well; 0: there is none of these.
	Interruptions, Snoozes int
	Lone                   bool // suspects run alone
	// Anew says that no claim whose leases are gone arrives again: an engine may grant it anew or answer it with nothing.
	Anew bool
}

func (b Bounds) rules() twice.Rules {
	return twice.Rules{Caps: twice.Caps{Failures: b.Failures, Crashes: b.Crashes, Interruptions: b.Interruptions, Snoozes: b.Snoozes}}
}
