package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/twicehq/twice/queue"
)

// NewJob asks for one job. Its content is args, payload or payload_base64: one of the three.
type NewJob struct {
	Kind string `json:"kind"`
	// Key is what makes it this job: the same whenever the same request is made. Of a kind that the server knows it
	// follows from args, and may be left out.
	Key       string `json:"key,omitempty"`
	KeyBase64 []byte `json:"key_base64,omitempty"`
	// Queue is where it waits; of a kind that the server knows, that one's; else "default".
	Queue string `json:"queue,omitempty"`
	// Args are the job's arguments, stored as Go's encoding/json writes them.
	Args json.RawMessage `json:"args,omitempty"`
	// Payload is stored as it is, byte by byte.
	Payload        *string       `json:"payload,omitempty"`
	PayloadBase64  []byte        `json:"payload_base64,omitempty"`
	Fingerprint    uint64        `json:"fingerprint,string,omitempty"` // of the content; else derived from the payload
	Origin         time.Time     `json:"origin,omitzero"`              // when the request was first made: keep it, and send the same again
	RunAt          time.Time     `json:"run_at,omitzero"`              // not before
	Deadline       time.Time     `json:"deadline,omitzero"`            // not begun after
	TimeoutSeconds float64       `json:"timeout_seconds,omitempty"`    // of an attempt
	KeepForSeconds float64       `json:"keep_for_seconds,omitempty"`   // how long it is kept whole once done
	Priority       int           `json:"priority,omitempty"`           // -9 to 9; higher goes first
	Group          string        `json:"group,omitempty"`
	Unique         string        `json:"unique,omitempty"`
	UniqueBase64   []byte        `json:"unique_base64,omitempty"`
	Parent         queue.ID      `json:"parent,omitzero"`
	Headers        queue.Headers `json:"headers,omitempty"`
}

// NewJobs asks for several jobs, at most 1,000.
type NewJobs struct {
	Jobs []NewJob `json:"jobs"`
}

// maxJobs bounds one request.
const maxJobs = 1000

// Receipt says what became of a job that was asked for.
type Receipt struct {
	ID           queue.ID     `json:"id"`
	Status       queue.Status `json:"status"`
	Holder       queue.ID     `json:"holder,omitzero"` // of a duplicate or a conflict: the job that has the id
	HolderState  string       `json:"holder_state,omitempty"`
	HolderRunAt  time.Time    `json:"holder_run_at,omitzero"`
	GuardedUntil time.Time    `json:"guarded_until,omitzero"` // until then a repeat cannot run a second time; absent with an origin: for ever
	Error        *Fault       `json:"error,omitempty"`        // of a conflict or a refusal
}

// status is 201 where the job is new.
func (r Receipt) status() int {
	if r.Status == queue.Accepted {
		return 201
	}
	return 200
}

// Receipts are the answers to several jobs, in order.
type Receipts struct {
	Receipts []Receipt `json:"receipts"`
}

func (s *Server) enqueue(ctx context.Context, c *call, n NewJob) (Receipt, error) {
	receipts, err := s.enqueueAll(ctx, c, []NewJob{n})
	if err != nil {
		return Receipt{}, err
	}
	return viewReceipt(receipts[0]), receipts[0].Err
}

func (s *Server) enqueueBatch(ctx context.Context, c *call, n NewJobs) (Receipts, error) {
	all := Receipts{Receipts: []Receipt{}}
	if most := min(maxJobs, s.engine.Traits().MaxBatch); len(n.Jobs) > most {
		return all, &queue.Error{Op: c.name, Subject: "jobs", Reason: queue.ErrTooLarge, Detail: fmt.Sprintf("%d in one request, the limit is %d", len(n.Jobs), most), Remedy: "send them in several requests"}
	}
	receipts, err := s.enqueueAll(ctx, c, n.Jobs)
	for _, r := range receipts {
		all.Receipts = append(all.Receipts, viewReceipt(r))
	}
	return all, err
}

// enqueueAll hands in those jobs that can be made, in one call; the others are refused.
func (s *Server) enqueueAll(ctx context.Context, c *call, asked []NewJob) ([]queue.Receipt, error) {
	receipts := make([]queue.Receipt, len(asked))
	var jobs []queue.Job
	var places []int
	for i, n := range asked {
		job, err := s.make(ctx, c.name, n)
		if err != nil {
			receipts[i] = queue.Receipt{ID: job.ID, Status: queue.Refused, Err: err}
			continue
		}
		jobs, places = append(jobs, job), append(places, i)
	}
	if len(jobs) == 0 {
		return receipts, nil
	}
	answers, err := s.engine.Enqueue(ctx, jobs...)
	if err != nil {
		return nil, err
	}
	for n, i := range places {
		receipts[i] = answers[n]
	}
	return receipts, nil
}

func viewReceipt(r queue.Receipt) Receipt {
	v := Receipt{ID: r.ID, Status: r.Status, Holder: r.Holder, HolderRunAt: sane(r.HolderRunAt), GuardedUntil: sane(r.GuardedUntil)}
	if !r.Holder.IsZero() {
		v.HolderState = r.HolderState.String()
	}
	if r.Err != nil {
		f := faultOf(r.Err)
		v.Error = &f
	}
	return v
}
