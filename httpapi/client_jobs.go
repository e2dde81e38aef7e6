package httpapi

import (
	"context"
	"net/url"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/twicehq/twice/queue"
)

// Enqueue implements [queue.Enqueuer], for at most 1,000 jobs and what the API's limit of a body allows.
func (c *Client) Enqueue(ctx context.Context, jobs ...queue.Job) ([]queue.Receipt, error) {
	if len(jobs) == 0 {
		return nil, nil
	}
	asked := NewJobs{Jobs: make([]NewJob, len(jobs))}
	for i, j := range jobs {
		n, err := newJobOf(j)
		if err != nil {
			return nil, err
		}
		asked.Jobs[i] = n
	}
	answer, err := send[Receipts](ctx, c, "enqueue", v1+"jobs/batch", asked)
	if err != nil {
		return nil, err
	}
	if len(answer.Receipts) != len(jobs) {
		return nil, &queue.Error{Op: "enqueue", Reason: queue.ErrUnknownOutcome, Detail: "the answer is not one receipt a job", Remedy: "see the address of the API"}
	}
	receipts := make([]queue.Receipt, len(jobs))
	for i, r := range answer.Receipts {
		receipts[i] = r.Receipt()
	}
	return receipts, nil
}

// EnqueueOne hands in one job as a producer in any language does: by the args of a kind that the API knows, or with a
// key. A conflict (ErrConflict) and a refusal are errors.
func (c *Client) EnqueueOne(ctx context.Context, n NewJob) (queue.Receipt, error) {
	r, err := send[Receipt](ctx, c, "enqueue", v1+"jobs", n)
	return r.Receipt(), err
}

// newJobOf asks for a job as it is. JSON would change a header that is not UTF-8, so that is refused.
func newJobOf(j queue.Job) (NewJob, error) {
	n := NewJob{Kind: j.Kind, Queue: j.Queue, PayloadBase64: j.Payload, Fingerprint: j.Fingerprint, Origin: j.Origin, RunAt: j.RunAt, Deadline: j.Deadline,
		TimeoutSeconds: j.Timeout.Seconds(), KeepForSeconds: j.KeepFor.Seconds(), Priority: j.Priority, Group: j.Group, Parent: j.Parent, Headers: j.Headers}
	n.Key, n.KeyBase64 = exact([]byte(j.Key))
	n.Unique, n.UniqueBase64 = exact([]byte(j.Unique))
	if utf8.Valid(j.Payload) {
		text := string(j.Payload)
		n.Payload, n.PayloadBase64 = &text, nil
	}
	for name, value := range j.Headers {
		if !utf8.ValidString(name + value) {
			return n, invalid("enqueue", cut(j.Kind+"/"+j.Key, 200), "a header of it is not UTF-8, and the API could not carry it", "use a header that is")
		}
	}
	if !j.ID.IsZero() && j.ID != queue.NewID(j.Kind, j.Key) {
		return n, invalid("enqueue", cut(j.Kind+"/"+j.Key, 200), "its id is not the one that its kind and key give", "leave the id out")
	}
	return n, nil
}

// Receipt gives it as package queue has it.
func (r Receipt) Receipt() queue.Receipt {
	q := queue.Receipt{ID: r.ID, Status: r.Status, Holder: r.Holder, HolderRunAt: r.HolderRunAt, GuardedUntil: r.GuardedUntil}
	if r.HolderState != "" {
		_ = q.HolderState.UnmarshalText([]byte(r.HolderState)) // a state that this version does not know: none
	}
	if r.Error != nil {
		q.Err = r.Error.Err()
	}
	return q
}

// Job gives one job with its attempts and effects. ErrNotFound where it is not known (any more).
func (c *Client) Job(ctx context.Context, id queue.ID) (Job, error) {
	return read[Job](ctx, c, "look up job", v1+"jobs/"+text(id), nil)
}

// JobOf gives the job of a kind and key.
func (c *Client) JobOf(ctx context.Context, kind, key string) (Job, error) {
	return read[Job](ctx, c, "look up job", v1+"jobs/find", url.Values{"kind": {kind}, "key": {key}})
}

// Cancel cancels jobs by id, or those that wait in the queue of a filter.
func (c *Client) Cancel(ctx context.Context, ch Change) (Operation, error) {
	return c.change(ctx, "cancel", v1+"jobs/cancel", ch)
}

// Resolve answers whether an effect of a job in doubt happened.
func (c *Client) Resolve(ctx context.Context, id queue.ID, a Answer) (Resolved, error) {
	a.Who = c.who(a.Who)
	return send[Resolved](ctx, c, "resolve", v1+"jobs/"+text(id)+"/resolve", a)
}

// Redrive sends dead jobs back. By a filter, or with a rate, it runs in the background: see Wait.
func (c *Client) Redrive(ctx context.Context, ch Change) (Operation, error) {
	return c.change(ctx, "redrive", v1+"dead/redrive", ch)
}

// Discard gives dead jobs up. By a filter, or with a rate, it runs in the background: see Wait.
func (c *Client) Discard(ctx context.Context, ch Change) (Operation, error) {
	return c.change(ctx, "discard", v1+"dead/discard", ch)
}

func (c *Client) change(ctx context.Context, op, path string, ch Change) (Operation, error) {
	if !ch.DryRun {
		ch.Who = c.who(ch.Who)
	}
	return send[Operation](ctx, c, op, path, ch)
}

func (c *Client) who(named string) string {
	if named == "" {
		return c.cfg.Who
	}
	return named
}

// DeadGroups groups dead jobs by queue, kind, reason and the signature of their error, looking at scan of those that q
// selects; 0 means 10,000. q.Cursor goes on where the answer before ended.
func (c *Client) DeadGroups(ctx context.Context, q queue.Query, scan int) (DeadGroups, error) {
	values := fill(url.Values{}, "queue", q.Queue, "kind", q.Kind, "reason", string(q.Reason))
	if scan != 0 {
		values.Set("scan", strconv.Itoa(scan))
	}
	return read[DeadGroups](ctx, c, "group dead jobs", v1+"dead/groups", page(values, q.Cursor))
}

// Operations gives the changes that run in the background, and the last ones that ended, newest first.
func (c *Client) Operations(ctx context.Context) ([]Operation, error) {
	all, err := read[Operations](ctx, c, "list operations", v1+"operations", nil)
	return all.Operations, err
}

// Operation gives one of them. ErrNotFound where the server does not know it (any more).
func (c *Client) Operation(ctx context.Context, id string) (Operation, error) {
	return read[Operation](ctx, c, "look up operation", v1+"operations/"+url.PathEscape(id), nil)
}

// StopOperation stops one after the part that is under way.
func (c *Client) StopOperation(ctx context.Context, id, why string) (Operation, error) {
	return send[Operation](ctx, c, "stop operation", v1+"operations/"+url.PathEscape(id)+"/stop", Why{Why: why, Who: c.cfg.Who})
}

// NewOperation makes a name for Change.Operation: sent again with it, a change whose outcome is unknown is the same
// operation and not another.
func NewOperation() string { return newOperationID() }

// Wait looks at an operation every interval (1 s if 0) until it has ended, or ctx does.
func (c *Client) Wait(ctx context.Context, o Operation, interval time.Duration) (Operation, error) {
	if interval <= 0 {
		interval = time.Second
	}
	beat := time.NewTicker(interval)
	defer beat.Stop()
	for o.State == OperationRunning {
		select {
		case <-beat.C:
		case <-ctx.Done():
			return o, ctx.Err()
		}
		var err error
		if o, err = c.Operation(ctx, o.ID); err != nil {
			return o, err
		}
	}
	return o, nil
}
