package queue

import (
	"context"
	"time"
)

// Inspector looks jobs up. It changes nothing and holds nobody up.
type Inspector interface {
	// Job gives everything known of one job; ErrNotFound where its id is not known (any more).
	Job(ctx context.Context, id ID) (Record, error)
	// List gives jobs, newest first, page by page.
	List(ctx context.Context, q Query) (Page, error)
	// Depths gives the counts of every queue, or of the one named. It costs the same at any backlog.
	Depths(ctx context.Context, queues ...string) ([]Depth, error)
}

// Record is a job with everything that happened to it. Of a job that is done, engines keep only id,
// fingerprint, state and times (Whole is false), unless its KeepFor says otherwise.
type Record struct {
	Job        Job
	State      State
	Whole      bool
	Counts     Counts
	Token      int64
	Lone       bool
	EnqueuedAt time.Time
	RunAt      time.Time // the next run of a queued job
	Worker     string    // who holds it
	ClaimedAt  time.Time // the last claim
	LeaseUntil time.Time
	EndedAt    time.Time
	FreshAt    time.Time
	Reason     Reason
	Error      string // the last one
	Result     []byte
	Checkpoint []byte
	Effects    []Effect  // of a dead or cancelled job
	Attempts   []Attempt // the last MaxAttempts, oldest first
	// AttemptsDropped counts the older ones.
	AttemptsDropped int
}

// Query selects jobs; zero fields select everything.
type Query struct {
	Queue  string
	Kind   string
	State  State
	Reason Reason
	Cursor string // of the page before
	Limit  int    // 1 to MaxPage; 0: 100
}

// MaxPage is the most a page holds.
const MaxPage = 1000

// Page is a part of a list. Next is the cursor of the part after it, empty at the end.
type Page struct {
	Records []Record
	Next    string
}

// Depth counts the jobs of a queue. The five states are exact as of AsOf, at most MaxCountAge ago, and
// Accepted = Queued + Running + Done + Dead + Cancelled + Pruned.
type Depth struct {
	Queue                                                    string
	Accepted, Queued, Running, Done, Dead, Cancelled, Pruned int64
	AsOf                                                     time.Time
	// How queued and running jobs look at this moment, counted up to MaxSeen.
	Waiting, Ready, Expired Seen
	OldestDue               time.Time // since when the first ready job has been due; zero: none is
	Paused                  bool
}

// MaxCountAge is how old counts may be; MaxSeen how far engines count what depends on the moment.
const (
	MaxCountAge = 5 * time.Second
	MaxSeen     = 10_000
)

// Seen is a count that stops at MaxSeen: then More is true.
type Seen struct {
	N    int
	More bool
}
