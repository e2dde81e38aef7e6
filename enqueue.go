package twice

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/twicehq/twice/queue"
)

// Option changes one job.
type Option func(*queue.Job)

// At runs the job at t and not before; a past t means at once.
func At(t time.Time) Option { return func(j *queue.Job) { j.RunAt = t } }

// In runs the job after d, by this process's clock.
func In(d time.Duration) Option { return At(time.Now().Add(d)) }

// From says when the request was first made. Keep it and send the same again when the request is
// repeated: then it is refused, and not run twice, even after the engine has forgotten the first.
func From(origin time.Time) Option { return func(j *queue.Job) { j.Origin = origin } }

// Before sets a deadline: a job that has not begun by t is dead.
func Before(t time.Time) Option { return func(j *queue.Job) { j.Deadline = t } }

// Within overrides the timeout of its attempts.
func Within(d time.Duration) Option { return func(j *queue.Job) { j.Timeout = d } }

// Priority overrides the kind's priority.
func Priority(n int) Option { return func(j *queue.Job) { j.Priority = n } }

// Group names the group that limits and fairness count by.
func Group(name string) Option { return func(j *queue.Job) { j.Group = name } }

// Header adds a header.
func Header(name, value string) Option {
	return func(j *queue.Job) {
		if j.Headers == nil {
			j.Headers = queue.Headers{}
		}
		j.Headers[name] = value
	}
}

// Job makes the job of these arguments without storing it: for batches, transactions and follow-ups.
// It carries the request and trace ids of ctx, and, inside a handler, the handler's job as its parent.
// It fails with ErrInvalid (the arguments cannot be written as JSON, the key is empty) or ErrTooLarge.
func (k *Kind[T]) Job(ctx context.Context, args T, opts ...Option) (queue.Job, error) {
	payload, err := json.Marshal(args)
	if err != nil {
		return queue.Job{}, &queue.Error{Op: "enqueue", Subject: k.rules.Kind, Reason: queue.ErrInvalid, Cause: err,
			Remedy: "use arguments that encoding/json can write"}
	}
	if n, limit := len(payload), k.policy.MaxPayload; n > limit {
		return queue.Job{}, &queue.Error{Op: "enqueue", Subject: k.rules.Kind, Reason: queue.ErrTooLarge,
			Detail: fmt.Sprintf("its payload has %d bytes, the kind's limit is %d", n, limit),
			Remedy: "keep the data in your store and enqueue its id (claim check), or raise Policy.MaxPayload"}
	}
	job := queue.Job{
		Queue: k.rules.Queue, Kind: k.rules.Kind, Key: k.policy.Key(args), Payload: payload,
		Priority: k.policy.Priority, KeepFor: k.policy.KeepFor, Headers: headersOf(ctx),
	}
	if k.policy.Fingerprint != nil {
		job.Fingerprint = k.policy.Fingerprint(args)
	}
	if h, ok := queue.HoldingFrom(ctx); ok {
		job.Parent = h.Lease.Job.ID
	}
	for _, opt := range opts {
		opt(&job)
	}
	if job.Key == "" {
		return queue.Job{}, &queue.Error{Op: "enqueue", Subject: k.rules.Kind, Reason: queue.ErrInvalid,
			Detail: "its key is empty", Remedy: "let Policy.Key give every request a key"}
	}
	job.ID = queue.NewID(job.Kind, job.Key)
	return job, nil
}

// Enqueue stores the job of these arguments in q: an engine, or an engine inside a transaction. A
// duplicate is a success, and the receipt says so. It fails with what Job fails with, with a
// *ConflictError where the id is held by another job, with ErrRefused, or with the engine's error;
// after ErrUnknownOutcome the same call may be repeated safely.
func (k *Kind[T]) Enqueue(ctx context.Context, q queue.Enqueuer, args T, opts ...Option) (queue.Receipt, error) {
	job, err := k.Job(ctx, args, opts...)
	if err != nil {
		return queue.Receipt{}, err
	}
	receipts, err := q.Enqueue(ctx, job)
	if err != nil {
		return queue.Receipt{}, err
	}
	receipt := receipts[0]
	switch receipt.Status {
	case queue.Conflict:
		receipt.Err = conflict(ctx, q, job, receipt)
		return receipt, receipt.Err
	case queue.Refused:
		return receipt, receipt.Err
	}
	return receipt, nil
}
