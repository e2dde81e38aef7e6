package queue

import (
	"fmt"
	"time"
)

// Resolution is the precision with which engines keep times; finer parts are cut off.
const Resolution = time.Millisecond

// Limits of a job. They are the same on every engine; a payload may be limited further by Traits.
const (
	DefaultMaxPayload = 4 << 10                   // bytes, unless its kind raises it
	MaxName           = 64                        // bytes of a queue's, kind's, group's or schedule's name
	MaxKey            = 512                       // bytes of a key; any bytes
	MaxHeaders        = 16                        // entries
	MaxHeaderBytes    = 2 << 10                   // bytes of all headers of a job together
	MaxError          = 8 << 10                   // bytes of an error's text that are kept
	MaxAttempts       = 20                        // attempts kept with a job: the last ones
	MaxRedrives       = 10                        // redrives of one job
	MaxPriority       = 9                         // priorities go from -MaxPriority to MaxPriority
	MaxAhead          = 10 * 365 * 24 * time.Hour // how far ahead a run-at may lie
	MaxOriginAhead    = 5 * time.Minute           // how far ahead an origin may lie: the clocks' difference
)

// Job is an envelope around a small payload: ids, not data. Zero fields mean what their comments say.
type Job struct {
	ID          ID            // derived: NewID(Kind, Key)
	Queue       string        // where it waits
	Kind        string        // the name of its type: what handles it
	Key         string        // what makes it this job and no other of its kind; any bytes
	Fingerprint uint64        // of the content; 0: FingerprintOf(Payload)
	Payload     []byte        // what the handler gets; any bytes
	Origin      time.Time     // when the request was first made, by its producer's word; zero: not said
	RunAt       time.Time     // not before; zero or past: at once
	Deadline    time.Time     // not begun after; zero: none
	Timeout     time.Duration // of one attempt; 0: as its kind says
	KeepFor     time.Duration // how long it is kept whole after it is done; 0: only what UniqueFor needs
	Priority    int           // higher goes first among those that are due
	Group       string        // for limits and fairness between groups
	Unique      string        // for windows in which only one such job may wait
	Parent      ID            // the job that made it; zero: none
	Headers     Headers       // request and trace ids
}

// Headers travel with a job beside its payload. HeaderRequest and HeaderTrace are known to every part.
type Headers map[string]string

const (
	HeaderRequest = "request_id"
	HeaderTrace   = "traceparent" // as in W3C Trace Context
)

// Prepared returns the job as an engine stores it: id and fingerprint set, times cut to Resolution.
// It fails with ErrInvalid or ErrTooLarge, naming every problem at once; maxPayload is the engine's
// limit in bytes, now its clock.
func (j Job) Prepared(maxPayload int, now time.Time) (Job, error) {
	var p problems
	p.name("queue", j.Queue)
	p.name("kind", j.Kind)
	if j.Group != "" {
		p.name("group", j.Group)
	}
	switch {
	case j.Key == "":
		p.add(ErrInvalid, "it has no key", "give a key that is the same whenever the same request is made")
	case len(j.Key) > MaxKey:
		p.add(ErrTooLarge, fmt.Sprintf("its key has %d bytes, the limit is %d", len(j.Key), MaxKey), "use a hash of it")
	}
	if len(j.Unique) > MaxKey {
		p.add(ErrTooLarge, fmt.Sprintf("its unique key has %d bytes, the limit is %d", len(j.Unique), MaxKey), "use a hash of it")
	}
	if len(j.Payload) > maxPayload {
		p.add(ErrTooLarge, fmt.Sprintf("its payload has %d bytes, the limit is %d", len(j.Payload), maxPayload), claimCheck)
	}
	if want := NewID(j.Kind, j.Key); j.ID.IsZero() {
		j.ID = want
	} else if j.ID != want {
		p.add(ErrInvalid, "its id is not the one that its kind and key give", "leave the id out")
	}
	p.headers(j.Headers)
	if j.Priority < -MaxPriority || j.Priority > MaxPriority {
		p.add(ErrInvalid, fmt.Sprintf("its priority is %d", j.Priority), fmt.Sprintf("use %d to %d", -MaxPriority, MaxPriority))
	}
	if j.Timeout < 0 || j.KeepFor < 0 {
		p.add(ErrInvalid, "its timeout or keep-for is negative", "use 0 for the default")
	}
	p.instant("run-at", j.RunAt, now, MaxAhead)
	p.instant("deadline", j.Deadline, now, MaxAhead)
	p.instant("origin", j.Origin, now, MaxAhead)
	if j.Fingerprint == 0 {
		j.Fingerprint = FingerprintOf(j.Payload)
	}
	j.Origin, j.RunAt, j.Deadline = cut(j.Origin), cut(j.RunAt), cut(j.Deadline)
	if len(p.found) == 0 {
		return j, nil
	}
	p.op, p.subject = "enqueue", j.Kind+"/"+printable(j.Key)
	return j, p.err()
}

const claimCheck = "keep the data in your store and enqueue its id (claim check), or raise the kind's limit"

func cut(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return time.UnixMilli(t.UnixMilli()).UTC()
}
