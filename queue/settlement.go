package queue

import (
	"fmt"
	"time"
)

// Settlement ends one attempt: done, dead, or queued again.
type Settlement struct {
	Lease      Lease
	State      State     // Done, Dead or Queued
	Outcome    Outcome   // how the attempt ended: kept in its record
	Alone      bool      // it ran with nothing beside it: kept in its record
	Count      Counter   // raised by one in the same write
	RunAt      time.Time // when queued again: not before; zero: at once
	Lone       bool      // when queued again: mark the job lone; false leaves the mark as it is, only a redrive clears it
	Reason     Reason    // when dead: why
	Error      string    // the attempt's error; any bytes; cut at MaxError
	Result     []byte    // when done: kept as long as the job is kept whole
	Checkpoint []byte    // when queued again: handed to the next attempt; nil: the old one stays
	Effects    []Effect  // when dead: the effects made, and those nobody is sure of; nil: an engine that keeps the ledger lists them itself
	Next       []Job     // enqueued in the same write; a duplicate is well, anything worse refuses the settlement
}

// Check fails with ErrInvalid where the settlement contradicts itself. Engines call it first.
func (s Settlement) Check() error {
	var why string
	switch {
	case s.State != Done && s.State != Dead && s.State != Queued:
		why = fmt.Sprintf("a settlement cannot end %s", s.State)
	case s.State == Dead && s.Reason == "":
		why = "dead without a reason"
	case s.State != Dead && s.Reason != "":
		why = fmt.Sprintf("%s with the reason %s", s.State, s.Reason)
	case s.State == Done && s.Count != CountNothing:
		why = "done, and counted as a way back"
	case s.State != Queued && (s.Lone || !s.RunAt.IsZero()):
		why = fmt.Sprintf("%s with a next run", s.State)
	case s.Outcome == 0:
		why = "without an outcome"
	default:
		return nil
	}
	return &Error{Op: "settle", Subject: s.Lease.Job.ID.String(), Reason: ErrInvalid, Detail: why}
}

// Effect is a step of a job whose effect was made, or may have been.
type Effect struct {
	Step  string      `json:"step"`
	State EffectState `json:"state"`
}

// EffectState says how sure anybody is of an effect.
type EffectState string

const (
	EffectRecorded EffectState = "recorded" // it was made, and its result is known
	EffectUnknown  EffectState = "unknown"  // it may have been made
	EffectDenied   EffectState = "denied"   // a person said that it was not made
)

// Attempt is the record of one attempt. N is its fencing token.
type Attempt struct {
	N       int64     `json:"n"`
	Worker  string    `json:"worker,omitempty"`
	Start   time.Time `json:"start"`
	End     time.Time `json:"end"`
	Outcome Outcome   `json:"outcome"`
	Error   string    `json:"error,omitempty"`
	// Alone tells a run with nothing beside it, as the worker said; of a crash, that the job was to run so.
	Alone bool `json:"alone,omitempty"`
}
