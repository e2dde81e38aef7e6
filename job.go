package twice

import (
	"encoding/json"
	"fmt"

	"github.com/twicehq/twice/queue"
)

// Job is what a handler gets: one attempt of one job, with its arguments decoded.
type Job[T any] struct {
	Args T
	// Lease has everything else: id, key, attempt (Token), counts, headers, checkpoint.
	Lease queue.Lease
}

// ID is the job's id, the same on every attempt.
func (j Job[T]) ID() queue.ID { return j.Lease.Job.ID }

// Attempt numbers the attempt; it rises for ever, also over a redrive.
func (j Job[T]) Attempt() int64 { return j.Lease.Token }

// Decode makes the typed job of a lease. It fails with ErrInvalid where the payload is not of the kind.
func (k *Kind[T]) Decode(lease queue.Lease) (Job[T], error) {
	var args T
	if err := json.Unmarshal(lease.Job.Payload, &args); err != nil {
		return Job[T]{Lease: lease}, &queue.Error{Op: "decode", Subject: fmt.Sprintf("%s/%q", k.rules.Kind, lease.Job.Key), Reason: queue.ErrInvalid,
			Detail: "its payload is not of its kind", Cause: err, Remedy: "deploy the version that wrote it, then redrive; or discard it"}
	}
	return Job[T]{Args: args, Lease: lease}, nil
}
