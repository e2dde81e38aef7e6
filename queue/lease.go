package queue

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"time"
)

// Claim asks for leases. A claim raises the token of each job it takes and its freshness. Where it
// replaces a lease that was lost with no word, it counts a crash, unless the engine itself had served no
// write for a TTL: then such leases first get one more TTL.
type Claim struct {
	ID     ClaimID       // new for each request, the same when it is repeated: then the same leases come again
	Worker string        // who asks: shown to people, no part of any rule
	Queues []string      // only jobs in one of these
	Kinds  []string      // only jobs of one of these; all others are left untouched
	Max    int           // leases at most
	TTL    time.Duration // how long they last unless extended
	Wait   time.Duration // how long to wait for the first; 0: not at all
	// CrashCaps gives the crash cap of kinds (kind policy, kept by workers). A job whose lease was lost
	// with no word for the (cap−1)-th time is marked lone in that very claim, and leased only to a Lone
	// one. A kind that is not in it, or whose cap is below 2, has no lone runs.
	CrashCaps map[string]int
	// Lone asks for jobs marked lone, and for no others: whoever gets one runs it in a process of its own.
	// At most one lone job of a queue is leased at a time.
	Lone bool
}

// ClaimID names one claim request.
type ClaimID [16]byte

// NewClaimID makes a random one.
func NewClaimID() (id ClaimID) { _, _ = rand.Read(id[:]); return id }

// LeaseID is what extend and settle compare. It is random to everybody but the claimer.
type LeaseID [16]byte

// Lease derives the id of the lease that this claim gets of a job at this token: the first 16 bytes of
// SHA-256 over both. So a repeated claim gives the same lease, and an old claim that arrives again after
// another claim gives none.
func (id ClaimID) Lease(job ID, token int64) LeaseID {
	var buf [40]byte
	copy(buf[:], id[:])
	copy(buf[16:], job[:])
	binary.BigEndian.PutUint64(buf[32:], uint64(token))
	sum := sha256.Sum256(buf[:])
	return LeaseID(sum[:16])
}

func (id LeaseID) String() string { return hex.EncodeToString(id[:]) }
func (id LeaseID) IsZero() bool   { return id == LeaseID{} }

// Lease is the right to work one attempt of one job until a deadline. A lease that ran out is still
// held as long as no other claim has replaced it.
type Lease struct {
	Job        Job
	ID         LeaseID
	Token      int64     // the fencing token: rises with each claim of the job, for ever; also the attempt's number
	Ref        string    // the engine's own handle of the job; opaque, may be empty
	Worker     string    // as claimed
	DueAt      time.Time // the run-at that was last asked for, or else the enqueue: since when the job could have been claimed
	ClaimedAt  time.Time // by the engine's clock
	Until      time.Time
	FreshAt    time.Time // the latest of the job's origin (or else its enqueue), run-at, claims and redrive: compared with the mark
	Counts     Counts
	Lone       bool // the job is a suspect: run it with nothing beside it
	Checkpoint []byte
}

// Counts tells how often a job came back, and why. A redrive sets all but Redrives to zero.
type Counts struct{ Failures, Crashes, Interruptions, Snoozes, Redrives int }

// Ways is the sum of all ways back to the queue within the present budget.
func (c Counts) Ways() int { return c.Failures + c.Crashes + c.Interruptions + c.Snoozes }
