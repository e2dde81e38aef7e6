package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/twicehq/twice/queue"
)

// deadLetter is a line of an export: a dead job, whole. Texts that may be any bytes are in base64, so that
// nothing of them is lost. Its names are stable; Format is raised when they change.
type deadLetter struct {
	Format          int            `json:"twice_dead_letter"`
	ID              queue.ID       `json:"id"`
	Queue           string         `json:"queue"`
	Kind            string         `json:"kind"`
	Key             []byte         `json:"key"`
	Fingerprint     uint64         `json:"fingerprint,string"`
	Payload         []byte         `json:"payload"`
	Origin          time.Time      `json:"origin,omitzero"`
	EnqueuedAt      time.Time      `json:"enqueued_at"`
	Deadline        time.Time      `json:"deadline,omitzero"`
	EndedAt         time.Time      `json:"ended_at"`
	TimeoutMS       int64          `json:"timeout_ms,omitempty"`
	KeepForMS       int64          `json:"keep_for_ms,omitempty"`
	Priority        int            `json:"priority,omitempty"`
	Group           string         `json:"group,omitempty"`
	Unique          []byte         `json:"unique,omitempty"`
	Parent          queue.ID       `json:"parent,omitzero"`
	Headers         []letterHeader `json:"headers,omitempty"`
	Reason          queue.Reason   `json:"reason"`
	Error           []byte         `json:"error"`
	Counts          countsView     `json:"counts"`
	Token           int64          `json:"token"`
	Checkpoint      []byte         `json:"checkpoint,omitempty"`
	Attempts        []letterTry    `json:"attempts,omitempty"`
	AttemptsDropped int            `json:"attempts_dropped,omitempty"`
	Effects         []queue.Effect `json:"effects,omitempty"`
}

type letterHeader struct {
	Name  []byte `json:"name"`
	Value []byte `json:"value"`
}

type letterTry struct {
	N       int64         `json:"n"`
	Worker  string        `json:"worker,omitempty"`
	Start   time.Time     `json:"start"`
	End     time.Time     `json:"end"`
	Outcome queue.Outcome `json:"outcome"`
	Error   []byte        `json:"error,omitempty"`
	Lone    bool          `json:"lone,omitempty"`
}

const letterFormat = 1

// letterOf writes a record; effects are those made, and those nobody is sure of.
func letterOf(r queue.Record, effects []queue.Effect) deadLetter {
	j := r.Job
	d := deadLetter{
		Format: letterFormat, ID: j.ID, Queue: j.Queue, Kind: j.Kind, Key: []byte(j.Key), Fingerprint: j.Fingerprint, Payload: j.Payload,
		Origin: j.Origin, EnqueuedAt: r.EnqueuedAt, Deadline: j.Deadline, EndedAt: r.EndedAt, TimeoutMS: j.Timeout.Milliseconds(),
		KeepForMS: j.KeepFor.Milliseconds(), Priority: j.Priority, Group: j.Group, Unique: []byte(j.Unique), Parent: j.Parent,
		Reason: r.Reason, Error: []byte(r.Error), Counts: countsView(r.Counts), Token: r.Token, Checkpoint: r.Checkpoint,
		AttemptsDropped: r.AttemptsDropped, Effects: effects,
	}
	for name, value := range j.Headers {
		d.Headers = append(d.Headers, letterHeader{[]byte(name), []byte(value)})
	}
	for _, a := range r.Attempts {
		d.Attempts = append(d.Attempts, letterTry{a.N, a.Worker, a.Start, a.End, a.Outcome, []byte(a.Error), a.Alone})
	}
	return d
}

// readLetter reads a line and checks all that can be checked without an engine.
func readLetter(line []byte, maxPayload int, now time.Time) (deadLetter, queue.Job, error) {
	var d deadLetter
	if err := json.Unmarshal(line, &d); err != nil {
		return d, queue.Job{}, &queue.Error{Reason: queue.ErrInvalid, Detail: "it is no dead letter", Cause: err, Remedy: "give what `twice dead export` wrote, unchanged"}
	}
	if d.Format != letterFormat {
		return d, queue.Job{}, &queue.Error{Reason: queue.ErrInvalid, Detail: fmt.Sprintf("its format is %d, this version reads %d", d.Format, letterFormat),
			Remedy: "give what `twice dead export` wrote, or use the version that wrote it"}
	}
	if d.ID.IsZero() {
		return d, queue.Job{}, &queue.Error{Reason: queue.ErrInvalid, Detail: "it has no id", Remedy: "give what `twice dead export` wrote, unchanged"}
	}
	job, err := d.job().Prepared(maxPayload, now)
	return d, job, err
}

// job makes the job again, under the same id. One that did not say when its request was first made now says
// when it was enqueued: so where effects that old may have been forgotten, it is refused and not run.
func (d deadLetter) job() queue.Job {
	j := queue.Job{
		ID: d.ID, Queue: d.Queue, Kind: d.Kind, Key: string(d.Key), Fingerprint: d.Fingerprint, Payload: d.Payload, Origin: d.Origin,
		Deadline: d.Deadline, Timeout: time.Duration(d.TimeoutMS) * time.Millisecond, KeepFor: time.Duration(d.KeepForMS) * time.Millisecond,
		Priority: d.Priority, Group: d.Group, Unique: string(d.Unique), Parent: d.Parent,
	}
	if j.Origin.IsZero() {
		j.Origin = d.EnqueuedAt
	}
	for _, h := range d.Headers {
		if j.Headers == nil {
			j.Headers = queue.Headers{}
		}
		j.Headers[string(h.Name)] = string(h.Value)
	}
	return j
}
