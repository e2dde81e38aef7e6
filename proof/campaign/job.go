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
)

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

// options of the job of a number.
func options(n int) []twice.Option {
	if shapeOf(n).kept {
		return []twice.Option{func(j *queue.Job) { j.KeepFor = 24 * time.Hour }}
	}
	return nil
}

// The steps of a handler.
const (
	stepRow    = "row"
	stepCharge = "charge"
	stepMail   = "mail"
)
