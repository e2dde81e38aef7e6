package main

import (
	"time"

	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

// The JSON forms of answers. Their names are stable: scripts rely on them. A text that need not be UTF-8
// stands under its name as well as a JSON string can hold it; where that loses any of it, its exact
// bytes stand in base64 under the name with _base64.

type jobView struct {
	ID              queue.ID        `json:"id"`
	State           queue.State     `json:"state"`
	Reason          queue.Reason    `json:"reason,omitempty"`
	Queue           string          `json:"queue"`
	Kind            string          `json:"kind"`
	Key             string          `json:"key"`
	KeyBase64       []byte          `json:"key_base64,omitempty"`
	Whole           bool            `json:"whole"` // false: only id, fingerprint, state and times are kept
	Payload         string          `json:"payload"`
	PayloadBase64   []byte          `json:"payload_base64,omitempty"`
	Fingerprint     uint64          `json:"fingerprint,string"`
	Priority        int             `json:"priority"`
	Group           string          `json:"group,omitempty"`
	Parent          queue.ID        `json:"parent,omitzero"`
	Headers         queue.Headers   `json:"headers,omitempty"`
	TimeoutSeconds  float64         `json:"timeout_seconds,omitempty"`
	Origin          time.Time       `json:"origin,omitzero"`
	EnqueuedAt      time.Time       `json:"enqueued_at,omitzero"`
	RunAt           time.Time       `json:"run_at,omitzero"`
	Deadline        time.Time       `json:"deadline,omitzero"`
	ClaimedAt       time.Time       `json:"claimed_at,omitzero"`
	LeaseUntil      time.Time       `json:"lease_until,omitzero"`
	EndedAt         time.Time       `json:"ended_at,omitzero"`
	Worker          string          `json:"worker,omitempty"`
	Token           int64           `json:"token"`
	Lone            bool            `json:"lone"`
	Counts          countsView      `json:"counts"`
	Error           string          `json:"error,omitempty"`
	ErrorBase64     []byte          `json:"error_base64,omitempty"`
	Result          string          `json:"result,omitempty"`
	ResultBase64    []byte          `json:"result_base64,omitempty"`
	Attempts        []queue.Attempt `json:"attempts"`
	AttemptsDropped int             `json:"attempts_dropped"`
	Effects         []effectView    `json:"effects"`
}

type countsView struct {
	Failures      int `json:"failures"`
	Crashes       int `json:"crashes"`
	Interruptions int `json:"interruptions"`
	Snoozes       int `json:"snoozes"`
	Redrives      int `json:"redrives"`
}

// effectView is an effect as the job's record lists it, and, where there is a ledger, as that has it.
type effectView struct {
	Step         string    `json:"step"`
	State        string    `json:"state"`
	Result       string    `json:"result,omitempty"`
	ResultBase64 []byte    `json:"result_base64,omitempty"`
	FirstSentAt  time.Time `json:"first_sent_at,omitzero"`
	AnsweredBy   string    `json:"answered_by,omitempty"`
	AnsweredWhy  string    `json:"answered_why,omitempty"`
	AnsweredAt   time.Time `json:"answered_at,omitzero"`
}

func viewJob(r queue.Record) jobView {
	v := jobView{
		ID: r.Job.ID, State: r.State, Reason: r.Reason, Queue: r.Job.Queue, Kind: r.Job.Kind, Whole: r.Whole,
		Fingerprint: r.Job.Fingerprint, Priority: r.Job.Priority, Group: r.Job.Group, Parent: r.Job.Parent, Headers: r.Job.Headers,
		TimeoutSeconds: r.Job.Timeout.Seconds(), Origin: r.Job.Origin, EnqueuedAt: r.EnqueuedAt, RunAt: r.RunAt, Deadline: r.Job.Deadline,
		ClaimedAt: r.ClaimedAt, LeaseUntil: r.LeaseUntil, EndedAt: r.EndedAt, Worker: r.Worker, Token: r.Token, Lone: r.Lone,
		Counts:   countsView(r.Counts),
		Attempts: r.Attempts, AttemptsDropped: r.AttemptsDropped, Effects: []effectView{},
	}
	v.Key, v.KeyBase64 = exact([]byte(r.Job.Key))
	v.Payload, v.PayloadBase64 = exact(r.Job.Payload)
	v.Error, v.ErrorBase64 = exact([]byte(r.Error))
	v.Result, v.ResultBase64 = exact(r.Result)
	if v.Attempts == nil {
		v.Attempts = []queue.Attempt{}
	}
	for _, e := range r.Effects {
		v.Effects = append(v.Effects, effectView{Step: e.Step, State: string(e.State)})
	}
	return v
}

func viewEntry(e ledger.Entry) effectView {
	v := effectView{Step: e.Key.Step, State: string(e.State), FirstSentAt: e.FirstSentAt,
		AnsweredBy: e.Answered.Name, AnsweredWhy: e.Answered.Why, AnsweredAt: e.AnsweredAt}
	v.Result, v.ResultBase64 = exact(e.Result)
	return v
}
