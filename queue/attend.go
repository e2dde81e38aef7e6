package queue

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Presence lets workers say that they live.
type Presence interface {
	// Announce stores w under its Name and keeps it for ttl. It is also the engine's proof to itself that
	// it could serve a write.
	Announce(ctx context.Context, w Worker, ttl time.Duration) error
	// Withdraw removes it: the worker has ended in order.
	Withdraw(ctx context.Context, name string) error
	// Workers gives those whose ttl has not passed, and for as long again those who fell silent.
	Workers(ctx context.Context) ([]Worker, error)
}

// Worker is one worker process as it describes itself.
type Worker struct {
	Name     string
	Host     string
	PID      int
	Version  string
	Queues   []string
	Kinds    []string
	Slots    int // in all
	Busy     int
	Deaf     int // written off: their handler does not end
	LastPoll time.Time
	Started  time.Time
	SeenAt   time.Time // by the engine's clock, when announced
	Silent   bool      // its ttl has passed
	SaidAt   time.Time // the same by the worker's own clock, which Started, LastPoll, Recent and Running go by; zero: it did not say
	Running  []Progress
	Recent   []Recent // by queue and kind, at most MaxRecent
	Unlisted int      // queues with kinds for which Recent has no room
}

// Bounds of what a worker tells.
const (
	MaxRecent   = 64  // queues with kinds
	MaxFailing  = 5   // error signatures of one kind
	MaxRepeats  = 5   // jobs named with a signature
	MaxDistinct = 32  // jobs counted one by one
	MaxSample   = 200 // bytes of an error's text
)

// Progress tells of one running attempt.
type Progress struct {
	Job     ID
	Queue   string
	Kind    string
	Attempt int64
	Since   time.Time
	Done    int // of Total, as the handler reported; 0 of 0: it did not
	Total   int
	Moved   time.Time // when it last reported; zero: it did not
}

// Recent tells how one kind of one queue fares at one worker. Counts are since the worker's start and only
// rise: the difference of two is what happened between them.
type Recent struct {
	Queue, Kind string
	Begun       int64 // attempts whose handler was called
	// How they ended. Buried holds also jobs that were ended without a run.
	Done, Failed, TimedOut, Panicked, Interrupted, Snoozed, Buried int64

	Lost       int64         // leases that another claim, or a cancel, took from this worker
	Crashed    int64         // attempts that ended together with the process of their own that they ran in
	AfterCrash int64         // attempts of jobs that had lost a lease with no word before
	Dead       int64         // attempts after which the job was dead
	Run        time.Duration // in handlers, of all attempts that ended
	LastDone   time.Time     // zero: none was done
	P50, P99   time.Duration // how long the latest attempts took that were done
	Measured   int           // how many these are; 0: nothing is known
	Failures   []Failing     // of the last one to two minutes, by signature, the most frequent first; at most MaxFailing
	Others     int           // failures in that time of signatures for which Failures has no room
}

// Ended counts the attempts that came to an end.
func (r Recent) Ended() int64 {
	return r.Done + r.Failed + r.TimedOut + r.Panicked + r.Interrupted + r.Snoozed + r.Buried
}

// Failing is one way in which jobs of a kind fail.
type Failing struct {
	Signature string // see Signature
	Text      string // the last such error, cut at MaxSample bytes
	Count     int
	Jobs      int      // how many jobs failed so; counted up to MaxDistinct, which then means: or more
	Top       []Repeat // those that failed most often; at most MaxRepeats
	Last      time.Time
}

// Repeat counts the failures of one job.
type Repeat struct {
	Job ID
	N   int
}

// maxList bounds the lists that a worker tells.
const maxList = 1000

// Check fails with ErrInvalid where w cannot be announced for ttl: it needs a name and a ttl of at least Resolution, its lists are
// bounded, and its times are of the years 1 to 9999.
func (w Worker) Check(ttl time.Duration) error {
	var found Problems
	wrong := func(is bool, detail, remedy string) {
		if is {
			found = append(found, &Error{Reason: ErrInvalid, Detail: detail, Remedy: remedy})
		}
	}
	wrong(w.Name == "" || len(w.Name) > 255, fmt.Sprintf("its name has %d bytes", len(w.Name)), "use 1 to 255")
	wrong(ttl < Resolution, fmt.Sprintf("its ttl is %s", ttl), "use "+Resolution.String()+" or more")
	for what, n := range map[string]int{"queues": len(w.Queues), "kinds": len(w.Kinds), "running attempts": len(w.Running)} {
		wrong(n > maxList, fmt.Sprintf("it tells of %d %s", n, what), fmt.Sprintf("tell of at most %d", maxList))
	}
	wrong(len(w.Recent) > MaxRecent, fmt.Sprintf("it tells of %d kinds lately", len(w.Recent)), fmt.Sprintf("tell of at most %d", MaxRecent))
	times := []time.Time{w.LastPoll, w.Started, w.SaidAt}
	for _, p := range w.Running {
		times = append(times, p.Since, p.Moved)
	}
	for _, r := range w.Recent {
		times = append(times, r.LastDone)
		for _, f := range r.Failures {
			times = append(times, f.Last)
		}
	}
	wrong(slices.ContainsFunc(times, func(t time.Time) bool { return t.Year() < 1 || t.Year() > 9999 }), "one of its times is of no year from 1 to 9999", "look at its clock")
	if len(found) == 0 {
		return nil
	}
	return &Error{Op: "announce", Subject: w.Name, Reason: ErrInvalid, Cause: found}
}

// Clone shares no memory with w.
func (w Worker) Clone() Worker {
	w.Queues, w.Kinds, w.Running, w.Recent = slices.Clone(w.Queues), slices.Clone(w.Kinds), slices.Clone(w.Running), slices.Clone(w.Recent)
	for i := range w.Recent {
		failures := slices.Clone(w.Recent[i].Failures)
		for j := range failures {
			failures[j].Top = slices.Clone(failures[j].Top)
		}
		w.Recent[i].Failures = failures
	}
	return w
}
