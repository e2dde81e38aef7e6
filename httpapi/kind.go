package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/queue"
)

// Kind is a kind whose jobs the API makes of arguments alone, so that a producer in any language makes the same job
// of a request as one in Go. KindOf makes it.
type Kind struct {
	Name, Queue string
	// Make makes the job of arguments that are JSON. It fails with ErrInvalid or ErrTooLarge.
	Make func(ctx context.Context, args []byte) (queue.Job, error)
}

// KindOf makes a Kind of a defined one. Arguments with a field that its type does not have are refused, since
// nothing is dropped silently.
func KindOf[T any](kind *twice.Kind[T]) Kind {
	return Kind{Name: kind.Name(), Queue: kind.Rules().Queue, Make: func(ctx context.Context, raw []byte) (queue.Job, error) {
		var args T
		d := json.NewDecoder(bytes.NewReader(raw))
		d.DisallowUnknownFields()
		if err := d.Decode(&args); err != nil {
			return queue.Job{}, invalid("enqueue", kind.Name(), "its args are not those of the kind: "+cut(err.Error(), 200), "give the fields of the kind's arguments, and no others")
		}
		return kind.Job(ctx, args)
	}}
}

// made makes the job. A key that is drawn anew each time would make a second job of a request that is repeated, so
// such a kind needs one from the producer.
func (k Kind) made(ctx context.Context, args []byte, key string) (queue.Job, error) {
	job, err := k.Make(ctx, args)
	if err != nil {
		return job, err
	}
	again, err := k.Make(ctx, args)
	switch {
	case err != nil:
		return again, err
	case again.Key == job.Key && key != "" && key != job.Key:
		return queue.Job{}, invalid("enqueue", k.Name, fmt.Sprintf("its key is %.80q by its args, and %.80q was given", job.Key, key), "leave key out")
	case again.Key != job.Key && key == "":
		return queue.Job{}, invalid("enqueue", k.Name, "its kind gives every request a key of its own, so a repeat would be a second job", "give a key, the same whenever the same request is made")
	case again.Key != job.Key:
		job.Key, job.ID = key, queue.NewID(job.Kind, key)
	}
	return job, nil
}

// bounds gives the limit of a payload that was made elsewhere. What are arguments of the kind is bounded by the kind,
// which may allow more, or less; anything else by byDefault. It fails with ErrTooLarge.
func (k Kind) bounds(ctx context.Context, payload []byte, byDefault int) (int, error) {
	job, err := k.Make(ctx, payload)
	switch {
	case errors.Is(err, queue.ErrTooLarge):
		return 0, err
	case err == nil && bytes.Equal(job.Payload, payload):
		return len(payload), nil
	}
	return byDefault, nil
}
