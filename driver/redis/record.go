package redis

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/twicehq/twice/queue"
)

// record is a job as script/queue.lua stores it. All integers are big-endian, all times in milliseconds.
type record struct {
	state             queue.State
	flags             byte
	lane              int
	at                int64 // queued: due; running: the lease's end; done, cancelled: when it may be pruned
	token             int64
	born              int64
	nth               int64
	claim             queue.ClaimID
	claimed           int64 // 0: never
	run, fresh, ended int64
	worker            string
	fingerprint       uint64
	body              []byte
}

const (
	flagLone = 1 << iota
	flagClaimed
	flagFresh
	flagTold
	flagEnded
	flagStripped
)

var errShort = errors.New("it ends too early")

// reader takes bytes apart; after the end all is zero, and short is set.
type reader struct {
	b     []byte
	short bool
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.short, r.b = true, nil
		return make([]byte, max(0, min(n, 16)))
	}
	out := r.b[:n:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) uint(bytes int) (n int64) {
	for _, c := range r.take(bytes) {
		n = n<<8 | int64(c)
	}
	return n
}

func (r *reader) byte() byte {
	if len(r.b) == 0 {
		r.short = true
		return 0
	}
	c := r.b[0]
	r.b = r.b[1:]
	return c
}

func (r *reader) varint() int64 {
	n, size := binary.Uvarint(r.b)
	if size <= 0 || n > math.MaxInt64 {
		r.short, r.b = true, nil
		return 0
	}
	r.b = r.b[size:]
	return int64(n)
}

func (r *reader) text() []byte { return r.take(int(r.uint(4))) }

// readRecord takes a record apart. worker is whose name it most likely holds.
func readRecord(raw []byte, worker ...string) (record, error) {
	r := reader{b: raw}
	j := record{state: queue.State(r.uint(1)), flags: byte(r.uint(1)), at: r.uint(6), lane: int(r.uint(2)), born: r.uint(6), nth: r.uint(3), token: r.uint(5)}
	j.run, j.fresh = j.at, j.at
	if j.flags&flagClaimed != 0 {
		j.claim = queue.ClaimID(r.take(16))
		j.claimed, j.run, j.fresh = r.uint(6), r.uint(6), r.uint(6)
		r.take(1)
		if name := r.take(int(r.uint(1))); len(worker) == 1 && string(name) == worker[0] {
			j.worker = worker[0]
		} else {
			j.worker = string(name)
		}
	} else if j.flags&flagFresh != 0 {
		j.fresh = r.uint(6)
	}
	if j.flags&flagEnded != 0 {
		j.ended = r.uint(6)
	}
	j.fingerprint = binary.BigEndian.Uint64(r.take(8))
	j.body = r.b
	if r.short || j.state < queue.Queued || j.state > queue.Cancelled {
		return j, errShort
	}
	return j, nil
}

func (j *record) lone() bool     { return j.flags&flagLone != 0 }
func (j *record) stripped() bool { return j.flags&flagStripped != 0 }

// What a body holds beside key and payload, each only where it is not zero.
const (
	tagOrigin = iota + 1
	tagDeadline
	tagTimeout
	tagKeepFor
	tagGroup
	tagUnique
	tagParent
	tagHeaders
)

// tailOf writes what of a job never changes: the fingerprint, and what scripts do not read.
func tailOf(j *queue.Job) []byte {
	b := make([]byte, 0, 16+len(j.Key)+len(j.Payload))
	b = binary.BigEndian.AppendUint64(b, j.Fingerprint)
	some := func(text []byte) { b = append(binary.AppendUvarint(b, uint64(len(text))), text...) }
	some([]byte(j.Key))
	some(j.Payload)
	tagged := func(tag byte, text []byte) {
		if len(text) > 0 {
			b = append(b, tag)
			some(text)
		}
	}
	number := func(tag byte, n int64) {
		if n != 0 {
			tagged(tag, binary.AppendUvarint(nil, uint64(n)))
		}
	}
	number(tagOrigin, milli(j.Origin))
	number(tagDeadline, milli(j.Deadline))
	number(tagTimeout, j.Timeout.Milliseconds())
	number(tagKeepFor, j.KeepFor.Milliseconds())
	tagged(tagGroup, []byte(j.Group))
	tagged(tagUnique, []byte(j.Unique))
	if !j.Parent.IsZero() {
		tagged(tagParent, j.Parent[:])
	}
	if len(j.Headers) > 0 {
		var h []byte
		for name, value := range j.Headers {
			h = append(binary.AppendUvarint(h, uint64(len(name))), name...)
			h = append(binary.AppendUvarint(h, uint64(len(value))), value...)
		}
		tagged(tagHeaders, h)
	}
	return b
}

// job gives the job of a record. The bytes are the record's own.
func (j *record) job(id queue.ID, l *line) (queue.Job, error) {
	job := queue.Job{ID: id, Queue: l.name, Fingerprint: j.fingerprint, RunAt: instant(j.run)}
	if j.lane < 1 || j.lane > len(l.names) {
		return job, fmt.Errorf("no lane %d", j.lane)
	}
	job.Kind, job.Priority = l.names[j.lane-1].kind, l.names[j.lane-1].priority
	if j.stripped() {
		return job, nil
	}
	r := reader{b: j.body}
	job.Key = string(r.take(int(r.varint())))
	if n := int(r.varint()); n > 0 {
		job.Payload = r.take(n)
	}
	for len(r.b) > 0 {
		tag := r.take(1)[0]
		field := reader{b: r.take(int(r.varint()))}
		switch tag {
		case tagOrigin:
			job.Origin = instant(field.varint())
		case tagDeadline:
			job.Deadline = instant(field.varint())
		case tagTimeout:
			job.Timeout = time.Duration(field.varint()) * time.Millisecond
		case tagKeepFor:
			job.KeepFor = time.Duration(field.varint()) * time.Millisecond
		case tagGroup:
			job.Group = string(field.b)
		case tagUnique:
			job.Unique = string(field.b)
		case tagParent:
			job.Parent = queue.ID(field.take(16))
		case tagHeaders:
			job.Headers = queue.Headers{}
			for len(field.b) > 0 {
				name := string(field.take(int(field.varint())))
				job.Headers[name] = string(field.take(int(field.varint())))
			}
		}
		r.short = r.short || field.short
	}
	if r.short {
		return job, errShort
	}
	return job, nil
}

// story is what happened to a job, as the hash h stores it.
type story struct {
	counts             queue.Counts
	dropped            int
	reason             queue.Reason
	err                string
	checkpoint, result []byte
	effects            []queue.Effect
	attempts           []queue.Attempt
}

func readStory(raw []byte) (s story, err error) {
	if len(raw) == 0 {
		return s, nil
	}
	r := reader{b: raw}
	count := func() int { return int(r.uint(4)) }
	s.counts = queue.Counts{Failures: count(), Crashes: count(), Interruptions: count(), Snoozes: count(), Redrives: count()}
	s.dropped = count()
	s.reason, s.err, s.checkpoint, s.result = queue.Reason(r.text()), string(r.text()), some(r.text()), some(r.text())
	if effects := r.text(); len(effects) > 0 {
		err = json.Unmarshal(effects, &s.effects)
	}
	for len(r.b) > 0 {
		a := reader{b: r.text()}
		one := queue.Attempt{N: a.uint(5), Start: instant(a.uint(6)), End: instant(a.uint(6)), Outcome: queue.Outcome(a.uint(1)), Alone: a.uint(1) == 1}
		one.Worker = string(a.take(int(a.uint(1))))
		one.Error = string(a.b)
		r.short = r.short || a.short
		s.attempts = append(s.attempts, one)
	}
	if r.short {
		err = errors.Join(err, errShort)
	}
	return s, err
}

// some gives nil for nothing.
func some(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return slices.Clone(b)
}

// listed writes effects as they are stored.
func listed(effects []queue.Effect) string {
	if len(effects) == 0 {
		return ""
	}
	b, _ := json.Marshal(effects) // strings alone
	return string(b)
}

// damaged makes the error of a job that cannot be read.
func damaged(op string, id queue.ID, err error) error {
	return &queue.Error{Op: op, Subject: id.String(), Reason: queue.ErrCorrupt, Cause: err, Remedy: "the rest stays usable: look at the record with redis-cli"}
}
