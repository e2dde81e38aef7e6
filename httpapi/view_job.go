package httpapi

import (
	"time"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// Job is a job with what happened to it. A text that need not be UTF-8 stands under its name as well as JSON can
// hold it; where that loses any of it, its exact bytes stand beside it, in base64. In lists payload, result,
// attempts and effects are left out, and the error is cut.
type Job struct {
	ID              queue.ID      `json:"id"`
	State           queue.State   `json:"state"`
	Reason          queue.Reason  `json:"reason,omitempty"` // why it is dead or cancelled
	Queue           string        `json:"queue"`
	Kind            string        `json:"kind"`
	Key             string        `json:"key"`
	KeyBase64       []byte        `json:"key_base64,omitempty"`
	Whole           bool          `json:"whole"` // false: only id, fingerprint, state and times are kept
	Payload         string        `json:"payload,omitempty"`
	PayloadBase64   []byte        `json:"payload_base64,omitempty"`
	PayloadBytes    int           `json:"payload_bytes"` // its length, in lists too
	Fingerprint     uint64        `json:"fingerprint,string"`
	Priority        int           `json:"priority"`
	Group           string        `json:"group,omitempty"`
	Parent          queue.ID      `json:"parent,omitzero"`
	Headers         queue.Headers `json:"headers,omitempty"`
	TimeoutSeconds  float64       `json:"timeout_seconds,omitempty"`
	Origin          time.Time     `json:"origin,omitzero"`
	EnqueuedAt      time.Time     `json:"enqueued_at,omitzero"`
	RunAt           time.Time     `json:"run_at,omitzero"` // the next run of a queued job
	Deadline        time.Time     `json:"deadline,omitzero"`
	ClaimedAt       time.Time     `json:"claimed_at,omitzero"`
	LeaseUntil      time.Time     `json:"lease_until,omitzero"`
	EndedAt         time.Time     `json:"ended_at,omitzero"`
	Worker          string        `json:"worker,omitempty"` // who holds it
	Token           int64         `json:"token"`
	Lone            bool          `json:"lone"` // a suspect: it runs with nothing beside it
	Counts          Counts        `json:"counts"`
	Error           string        `json:"error,omitempty"` // the last one
	ErrorBase64     []byte        `json:"error_base64,omitempty"`
	Result          string        `json:"result,omitempty"`
	ResultBase64    []byte        `json:"result_base64,omitempty"`
	Attempts        []Attempt     `json:"attempts,omitempty"`         // the last 20, oldest first
	AttemptsDropped int           `json:"attempts_dropped,omitempty"` // older ones, no longer kept
	Effects         []Effect      `json:"effects,omitempty"`          // as the ledger has them, or else as the job's record lists them
	// Paused: its queue is, so that it does not begin. Doubts: the steps that wait for a person's answer. Can: what
	// its state allows, of cancel, redrive, discard and resolve. Only of a job looked up by itself.
	Paused bool     `json:"paused,omitempty"`
	Doubts []string `json:"doubts,omitempty"`
	Can    []string `json:"can,omitempty"`
}

// Counts tells how often a job came back to its queue, and why.
type Counts struct {
	Failures      int `json:"failures"`
	Crashes       int `json:"crashes"`
	Interruptions int `json:"interruptions"`
	Snoozes       int `json:"snoozes"`
	Redrives      int `json:"redrives"`
}

// Attempt is one attempt that ended.
type Attempt struct {
	N           int64         `json:"n"`
	Worker      string        `json:"worker,omitempty"`
	Start       time.Time     `json:"start,omitzero"`
	End         time.Time     `json:"end,omitzero"`
	Outcome     queue.Outcome `json:"outcome"`
	Error       string        `json:"error,omitempty"`
	ErrorBase64 []byte        `json:"error_base64,omitempty"`
	Alone       bool          `json:"alone,omitempty"` // with nothing beside it
}

// Effect is a step of a job whose effect was made, or may have been.
type Effect struct {
	Step         string    `json:"step"`
	State        string    `json:"state"` // recorded or confirmed, unknown, denied, pending
	Result       string    `json:"result,omitempty"`
	ResultBase64 []byte    `json:"result_base64,omitempty"`
	FirstSentAt  time.Time `json:"first_sent_at,omitzero"`
	AnsweredBy   string    `json:"answered_by,omitempty"`
	AnsweredWhy  string    `json:"answered_why,omitempty"`
	AnsweredAt   time.Time `json:"answered_at,omitzero"`
}

// KeyBytes gives the key as it is stored.
func (j Job) KeyBytes() []byte { return whole(j.Key, j.KeyBase64) }

// PayloadExact gives the payload as it is stored.
func (j Job) PayloadExact() []byte { return whole(j.Payload, j.PayloadBase64) }

// errorInLists bounds the error of a job in a list, in bytes.
const errorInLists = 1 << 10

// summary is a job as lists have it.
func summary(r queue.Record) Job {
	v := Job{
		ID: r.Job.ID, State: r.State, Reason: r.Reason, Queue: r.Job.Queue, Kind: r.Job.Kind, Whole: r.Whole, PayloadBytes: len(r.Job.Payload),
		Fingerprint: r.Job.Fingerprint, Priority: r.Job.Priority, Group: r.Job.Group, Parent: r.Job.Parent, Headers: r.Job.Headers,
		TimeoutSeconds: r.Job.Timeout.Seconds(), Origin: sane(r.Job.Origin), EnqueuedAt: sane(r.EnqueuedAt), RunAt: sane(r.RunAt),
		Deadline: sane(r.Job.Deadline), ClaimedAt: sane(r.ClaimedAt), LeaseUntil: sane(r.LeaseUntil), EndedAt: sane(r.EndedAt),
		Worker: cut(r.Worker, 200), Token: r.Token, Lone: r.Lone, Counts: Counts(r.Counts), Error: cut(r.Error, errorInLists),
		AttemptsDropped: r.AttemptsDropped,
	}
	v.Key, v.KeyBase64 = exact([]byte(r.Job.Key))
	return v
}

// viewJob is a job with everything that the engine and the ledger know of it.
func viewJob(r queue.Record, entries []ledger.Entry) Job {
	v := summary(r)
	v.Payload, v.PayloadBase64 = exact(r.Job.Payload)
	v.Error, v.ErrorBase64 = exact([]byte(r.Error))
	v.Result, v.ResultBase64 = exact(r.Result)
	for _, a := range r.Attempts {
		one := Attempt{N: a.N, Worker: cut(a.Worker, 200), Start: sane(a.Start), End: sane(a.End), Outcome: a.Outcome, Alone: a.Alone}
		one.Error, one.ErrorBase64 = exact([]byte(a.Error))
		v.Attempts = append(v.Attempts, one)
	}
	steps := map[string]bool{}
	for _, e := range entries {
		one := Effect{Step: e.Key.Step, State: string(e.State), FirstSentAt: sane(e.FirstSentAt),
			AnsweredBy: e.Answered.Name, AnsweredWhy: e.Answered.Why, AnsweredAt: sane(e.AnsweredAt)}
		one.Result, one.ResultBase64 = exact(e.Result)
		v.Effects = append(v.Effects, one)
		steps[e.Key.Step] = true
	}
	for _, e := range r.Effects {
		if !steps[e.Step] {
			v.Effects = append(v.Effects, Effect{Step: e.Step, State: string(e.State)})
		}
	}
	for _, e := range v.Effects {
		if e.State == string(ledger.Unknown) || e.State == string(ledger.Pending) && r.Reason == queue.ReasonDoubt {
			v.Doubts = append(v.Doubts, e.Step)
		}
	}
	v.Can = can(r)
	return v
}

// can says which changes the job's state allows.
func can(r queue.Record) []string {
	switch {
	case r.State == queue.Queued || r.State == queue.Running:
		return []string{"cancel"}
	case r.State != queue.Dead:
		return nil
	case r.Reason == queue.ReasonDoubt:
		return []string{"resolve", "discard"}
	case r.Counts.Redrives >= queue.MaxRedrives:
		return []string{"discard"}
	}
	return []string{"redrive", "discard"}
}
