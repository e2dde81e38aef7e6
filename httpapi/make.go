package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/queue"
)

// make makes a job of what was asked for. All that is wrong with it is said at once.
func (s *Server) make(ctx context.Context, op string, n NewJob) (queue.Job, error) {
	subject := cut(n.Kind+"/"+n.Key, 200)
	job, limit, err := s.content(ctx, op, subject, n)
	if err != nil {
		return job, err
	}
	span := func(seconds float64) time.Duration {
		if !(math.Abs(seconds) < 1e9) { // not a number as well
			return -1
		}
		return time.Duration(seconds * float64(time.Second))
	}
	for field, seconds := range map[string]float64{"timeout_seconds": n.TimeoutSeconds, "keep_for_seconds": n.KeepForSeconds} {
		if span(seconds) < 0 {
			return job, invalid(op, subject, field+" is not from 0 to 999999999", "use 0 for the default")
		}
	}
	set(&job.Origin, n.Origin)
	set(&job.RunAt, n.RunAt)
	set(&job.Deadline, n.Deadline)
	set(&job.Timeout, span(n.TimeoutSeconds))
	set(&job.KeepFor, span(n.KeepForSeconds))
	set(&job.Fingerprint, n.Fingerprint)
	set(&job.Priority, n.Priority)
	set(&job.Group, n.Group)
	set(&job.Unique, string(whole(n.Unique, n.UniqueBase64)))
	set(&job.Parent, n.Parent)
	for name, value := range n.Headers {
		if job.Headers == nil {
			job.Headers = queue.Headers{}
		}
		job.Headers[name] = value
	}
	return job.Prepared(min(limit, s.engine.Traits().MaxPayload), s.cfg.Now())
}

// set sets what was given.
func set[T comparable](field *T, given T) {
	var none T
	if given != none {
		*field = given
	}
}

// content makes the part of a job that depends on how its content was given, and says how large that may be.
func (s *Server) content(ctx context.Context, op, subject string, n NewJob) (queue.Job, int, error) {
	given := 0
	for _, is := range []bool{n.Args != nil, n.Payload != nil, n.PayloadBase64 != nil} {
		if is {
			given++
		}
	}
	kind, known := s.kinds[n.Kind]
	key := string(whole(n.Key, n.KeyBase64))
	switch {
	case given > 1:
		return queue.Job{}, 0, invalid(op, subject, "it has its content more than once", "give args, payload or payload_base64: one of the three")
	case given == 0:
		return queue.Job{}, 0, invalid(op, subject, "it has no content", "give args ({} where the kind takes none), payload or payload_base64")
	case !known && s.cfg.KnownOnly:
		return queue.Job{}, 0, invalid(op, subject, fmt.Sprintf("this API makes no jobs of the kind %.64q", n.Kind), "/api/v1/abilities lists the kinds that it makes")
	case n.Args != nil && known:
		job, err := kind.made(ctx, n.Args, key)
		if err == nil && n.Queue != "" && n.Queue != job.Queue {
			err = invalid(op, subject, fmt.Sprintf("the kind waits in the queue %s and not in %.64q", job.Queue, n.Queue), "leave queue out")
		}
		return job, math.MaxInt, err // the kind has bounded it
	}
	job := queue.Job{Kind: n.Kind, Key: key, Queue: twice.DefaultQueue}
	if known {
		job.Queue = kind.Queue
	}
	set(&job.Queue, n.Queue)
	if len(n.Headers) == 0 { // it gets those of the request
		job.Headers = queue.Headers{queue.HeaderRequest: twice.RequestID(ctx)}
		if trace := twice.Traceparent(ctx); trace != "" {
			job.Headers[queue.HeaderTrace] = trace
		}
	}
	switch {
	case n.Payload != nil:
		job.Payload = []byte(*n.Payload)
	case n.PayloadBase64 != nil:
		job.Payload = n.PayloadBase64
	default:
		job.Payload = canonical(n.Args)
	}
	limit, err := s.cfg.MaxPayload, error(nil)
	if known {
		limit, err = kind.bounds(ctx, job.Payload, limit)
	}
	return job, limit, err
}

// canonical writes JSON as encoding/json would, so that spaces make no other job of it.
func canonical(raw []byte) []byte {
	var compact, escaped bytes.Buffer
	if json.Compact(&compact, raw) != nil {
		return raw
	}
	json.HTMLEscape(&escaped, compact.Bytes())
	return escaped.Bytes()
}
