package campaign

import (
	"fmt"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/queue"
)

// Queue and KindName are where the jobs of a campaign wait, and what they are.
const (
	Queue    = "campaign"
	KindName = "campaign.job"
)

// Args of a job. Its number is its identity.
type Args struct {
	N  int `json:"n"`
	Do Do  `json:"do,omitempty"`
}

// Do is what a handler does besides its effects.
type Do string

// What handlers can be told to do, before any effect.
const (
	Kill Do = "kill" // end its process
	Wait Do = "wait" // wait for the end of its context, and answer its cause
	Deaf Do = "deaf" // never return, whatever its context says
	Talk Do = "talk" // print to its standard output until its context ends

	Exit   Do = "exit"    // os.Exit(0): a success that settles nothing
	Memory Do = "memory"  // run out of it
	Panic  Do = "panic"   // in the handler's goroutine, where the worker can catch it
	Loop   Do = "loop"    // compute for ever, heeding nothing
	GiveUp Do = "give up" // bury the job after its first step, but for one that a person redrove
)

// Poisons are all that end a job by a cap, and must harm no other.
func Poisons() []Do { return []Do{Kill, Exit, Memory, Panic, Loop, Deaf} }

// dies gives the cap by which such a job ends; empty: it does not.
func (d Do) dies() queue.Reason {
	switch d {
	case Kill, Exit, Memory:
		return queue.ReasonCrashes
	case Panic, Loop, Deaf:
		return queue.ReasonFailures
	}
	return ""
}

// poisonTimeout is how long poison may run: what does not end by itself is ended so.
const poisonTimeout = 500 * time.Millisecond

// Kind is the kind of a campaign's jobs. Failures are retried soon and often: no job of a campaign fails by
// itself, but a store that is busy may refuse it.
func Kind(maxCrashes, maxFailures int) *twice.Kind[Args] {
	return twice.Define(KindName, twice.Policy[Args]{
		Key: func(a Args) string { return fmt.Sprint(a.N) }, Queue: Queue, Timeout: time.Minute,
		MaxCrashes: maxCrashes, MaxFailures: maxFailures, BackoffBase: 20 * time.Millisecond, BackoffLimit: 500 * time.Millisecond,
	})
}

// shape is what the handler of a job does. It follows from the job's number, so that every part of a
// campaign holds all sorts, and from no attempt.
type shape struct {
	rowFirst bool // the row before the charge
	mails    bool // also a mail, by a remote that honours no keys and cannot be asked
	settles  bool // the row and the settlement are one transaction, without the ledger: only the fence makes it one row
	asks     bool // a charge of which nothing is known is asked about first; else it is sent again with its key
	kept     bool // the job is kept whole when it is done
}

func shapeOf(n int) shape {
	s := shape{rowFirst: n%2 == 0, mails: n%10 == 3, asks: n%3 == 0, settles: n%5 == 4, kept: n%4 == 1}
	s.rowFirst = s.rowFirst && !s.settles
	return s
}

// options of a job.
func options(a Args) []twice.Option {
	return []twice.Option{func(j *queue.Job) {
		if shapeOf(a.N).kept {
			j.KeepFor = 24 * time.Hour
		}
		if a.Do.dies() != "" {
			j.Timeout = poisonTimeout
		}
	}}
}

// The steps of a handler.
const (
	stepRow    = "row"
	stepCharge = "charge"
	stepMail   = "mail"
)
