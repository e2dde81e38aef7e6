package explore

import (
	"fmt"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/proof/history"
	"github.com/twicehq/twice/queue"
)

// What is a sort of action, on an engine or on a ledger.
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
	Freeze            // two leases' time passes and the engine stands still; then somebody asks for other jobs
	Wait              // a delay passes
	Cancel            //
	CancelSealed      // only at this token
	Redrive           //
	Resolve           //
	Discard           //
	Prune             // after as long as an id is kept

	// Where time is explored: of an engine, and of a ledger that is a store of its own.
	Tick     // an instant passes
	MoveMark // as far as this instant; no store moves it nearer than its horizon
	Reap     // of what is as old as the mark

	// Of such a ledger.
	Effect     // a step, in a transaction with its record, by the holder of this token that was fresh then
	Seal       // the tokens up to this one
	Sweep      // after the engine forgot the job
	SweepEarly // the engine still has it
	SweepSlow  // the engine forgot it; before the rows go, somebody does something else
)

// Act is one action on one job.
type Act struct {
	What  What
	Claim int64 // the claim's number; also of the lease
	Token int64
	End   queue.Outcome
	Doubt bool
	Later bool // a snooze that is not due at once

	At        int64 // of an enqueue: its origin, 0: it says none; of a mark: how far; of an effect: when its job was fresh
	Step      uint8 // of an effect: 1 or 2
	Meanwhile What  // of SweepSlow: an effect or a seal
	List      uint8 // of a settlement or a cancel: the steps that its caller lists as made
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
		return "the job is enqueued" + a.origin()
	case Duplicate:
		return "the same request comes again" + a.origin()
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
		return "the holder of " + lease + " settles: " + how + a.listing()
	case Pass:
		return "a lease's time passes while the engine serves"
	case Freeze:
		return "two leases' time passes while the engine stands still, and then somebody asks for other jobs"
	case Wait:
		return "the delay passes"
	case Cancel:
		return "a person cancels"
	case CancelSealed:
		return fmt.Sprintf("a person cancels what was sealed at token %d", a.Token) + a.listing()
	case Redrive:
		return "a person redrives"
	case Resolve:
		return "a person resolves the doubt"
	case Discard:
		return "a person discards"
	case Prune:
		return "the engine forgets what ended long ago"
	case Tick:
		return "an instant passes"
	case MoveMark:
		return fmt.Sprintf("the mark is moved to %d", a.At)
	case Reap:
		return "the engine forgets what is as old as the mark"
	}
	return a.onLedger()
}

func (a Act) listing() string {
	if a.List == 0 {
		return ""
	}
	return ", and lists" + steptext(a.List)
}

func (a Act) origin() string {
	if a.At == 0 {
		return ""
	}
	return fmt.Sprintf(" with origin %d", a.At)
}

func (a Act) onLedger() string {
	switch a.What {
	case Effect:
		text := fmt.Sprintf("the holder of token %d makes step %d", a.Token, a.Step)
		if a.At > 0 {
			text += fmt.Sprintf("; its job was fresh at %d", a.At)
		}
		return text
	case Seal:
		return fmt.Sprintf("the ledger is sealed at token %d", a.Token)
	case Sweep:
		return "the ledger is swept, and the engine has forgotten the job"
	case SweepEarly:
		return "the ledger is swept, and the engine still has the job"
	case SweepSlow:
		meanwhile := a
		meanwhile.What, meanwhile.Meanwhile = a.Meanwhile, 0
		return "the ledger is swept; after the engine was asked, and before anything goes, " + meanwhile.onLedger()
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
	// Instants is how far time goes, in instants from 1 on, and Horizon how many of them what happened is remembered
	// for; 0: there is no time.
	Instants, Horizon int64
	// Stored: a job is as fresh as its enqueue, too, and not only as its origin, which is less. Some engines do so: what
	// is fresher is remembered for longer.
	Stored bool
}

func (b Bounds) rules() twice.Rules {
	return twice.Rules{Caps: twice.Caps{Failures: b.Failures, Crashes: b.Crashes, Interruptions: b.Interruptions, Snoozes: b.Snoozes}}
}
