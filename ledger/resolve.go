package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/twicehq/twice/queue"
)

// Resolve is a person's answer to a doubt: the effect happened, with this result (JSON as its handler
// records it; none at all: null), or it did not. When the job has no other doubt left, it is redriven.
// It gives the doubts that are left; repeating it is safe. A key without a step answers nothing and
// redrives a job that has no doubt left: while it was being parked, a slow attempt may have recorded the
// result after all.
//
// "It did not happen" is about the past. A worker that was frozen just before its call and thaws after
// the answer still makes that call; so such an effect stays listed on the job.
//
// ErrState where the job is not dead and in doubt, or where the effect is known to be otherwise.
func Resolve(ctx context.Context, engine queue.Engine, store Store, by queue.Actor, key Key, happened bool, result []byte) ([]Key, error) {
	fail := func(reason error, detail, remedy string) ([]Key, error) {
		return nil, &queue.Error{Op: "resolve", Subject: key.String(), Reason: reason, Detail: detail, Remedy: remedy}
	}
	operator, err := queue.Need[queue.Operator](engine, "resolve")
	if err != nil {
		return nil, err
	}
	inspector, err := queue.Need[queue.Inspector](engine, "resolve")
	if err != nil {
		return nil, err
	}
	switch {
	case store == nil:
		return fail(queue.ErrInvalid, noLedger, "say which ledger with TWICE_LEDGER")
	case happened && len(result) == 0:
		result = []byte("null")
	case happened && !json.Valid(result):
		return fail(queue.ErrInvalid, "its result is not JSON", "give what the effect's handler would have recorded, or nothing")
	}
	record, err := inspector.Job(ctx, key.Job)
	if err != nil {
		return nil, err
	}
	if record.State != queue.Dead || record.Reason != queue.ReasonDoubt {
		return fail(queue.ErrState, fmt.Sprintf("the job is %s and not in doubt", record.State), "only a job parked in doubt takes an answer; see `twice job`")
	}
	var answered error
	if key.Step != "" {
		answered = store.Answer(ctx, by, key, happened, result)
	}
	if answered != nil && !errors.Is(answered, queue.ErrState) {
		return nil, answered
	}
	entries, err := store.Entries(ctx, key.Job)
	if err != nil {
		return nil, err
	}
	var left []Key
	for _, e := range entries {
		switch {
		case e.Key == key && answered != nil && (e.State == Confirmed) != happened:
			return nil, answered
		case e.State == Unknown:
			left = append(left, e.Key)
		}
	}
	if len(left) > 0 {
		return left, nil
	}
	errs, err := operator.Resolved(ctx, by, key.Job)
	return nil, errors.Join(append(errs, err)...)
}
