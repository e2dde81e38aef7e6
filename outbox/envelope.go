package outbox

import (
	"encoding/json"
	"time"

	"github.com/twicehq/twice/queue"
)

// Where a box keeps its jobs, and what they are called there.
const (
	Queue = "outbox"
	Kind  = "outbox.forward"
)

// envelope is a job as it waits in a box. Texts that may be any bytes are bytes.
type envelope struct {
	Queue       string            `json:"q"`
	Kind        string            `json:"k"`
	Key         []byte            `json:"y"`
	Fingerprint uint64            `json:"f,string"`
	Payload     []byte            `json:"p,omitempty"`
	Origin      time.Time         `json:"o,omitzero"`
	RunAt       time.Time         `json:"r,omitzero"`
	Deadline    time.Time         `json:"d,omitzero"`
	Timeout     time.Duration     `json:"t,omitempty"`
	KeepFor     time.Duration     `json:"w,omitempty"`
	Priority    int               `json:"i,omitempty"`
	Group       string            `json:"g,omitempty"`
	Unique      []byte            `json:"u,omitempty"`
	Parent      queue.ID          `json:"a,omitzero"`
	Headers     map[string][]byte `json:"h,omitempty"`
}

// wrapped gives the job that stands for j in a box: the same request makes the same one, and a request that differs
// is a conflict there already.
func wrapped(j queue.Job) (queue.Job, error) {
	e := envelope{Queue: j.Queue, Kind: j.Kind, Key: []byte(j.Key), Fingerprint: j.Fingerprint, Payload: j.Payload, Origin: j.Origin, RunAt: j.RunAt,
		Deadline: j.Deadline, Timeout: j.Timeout, KeepFor: j.KeepFor, Priority: j.Priority, Group: j.Group, Unique: []byte(j.Unique), Parent: j.Parent}
	for name, value := range j.Headers {
		if e.Headers == nil {
			e.Headers = map[string][]byte{}
		}
		e.Headers[name] = []byte(value)
	}
	payload, err := json.Marshal(e)
	return queue.Job{Queue: Queue, Kind: Kind, Key: j.ID.String(), Fingerprint: j.Fingerprint, Payload: payload, Origin: j.Origin, Headers: j.Headers}, err
}

// unwrapped gives the job that an envelope stands for.
func unwrapped(stored queue.Job) (queue.Job, error) {
	var e envelope
	if err := json.Unmarshal(stored.Payload, &e); err != nil {
		return queue.Job{}, err
	}
	j := queue.Job{Queue: e.Queue, Kind: e.Kind, Key: string(e.Key), Fingerprint: e.Fingerprint, Payload: e.Payload, Origin: e.Origin, RunAt: e.RunAt,
		Deadline: e.Deadline, Timeout: e.Timeout, KeepFor: e.KeepFor, Priority: e.Priority, Group: e.Group, Unique: string(e.Unique), Parent: e.Parent}
	for name, value := range e.Headers {
		if j.Headers == nil {
			j.Headers = queue.Headers{}
		}
		j.Headers[name] = string(value)
	}
	j.ID = queue.NewID(j.Kind, j.Key)
	return j, nil
}
