package twice

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/twicehq/twice/queue"
)

// ConflictError says that another job holds the id: the same key with other content.
// It is ErrConflict.
type ConflictError struct {
	Kind, Key string
	Holder    queue.ID
	State     queue.State // the holder's
	// Differs names the top-level fields of the payload that differ, sorted; nil where the holder's
	// payload is no longer kept, or is no object.
	Differs []string
}

func (e *ConflictError) Error() string {
	differs := "its payload is no longer kept"
	if len(e.Differs) > 0 {
		differs = "different: " + strings.Join(e.Differs, ", ")
	}
	return fmt.Sprintf("enqueue %s/%q: %v: job %s (%s) has it; %s (use another key, or the same arguments)",
		e.Kind, e.Key, queue.ErrConflict, e.Holder, e.State, differs)
}

// Unwrap gives ErrConflict.
func (e *ConflictError) Unwrap() error { return queue.ErrConflict }

// conflict explains a conflict as well as the engine can look the holder up.
func conflict(ctx context.Context, q queue.Enqueuer, job queue.Job, receipt queue.Receipt) error {
	e := &ConflictError{Kind: job.Kind, Key: job.Key, Holder: receipt.Holder, State: receipt.HolderState}
	engine, ok := q.(queue.Engine)
	if !ok {
		return e
	}
	if look, ok := queue.As[queue.Inspector](engine); ok {
		if holder, err := look.Job(ctx, receipt.Holder); err == nil && holder.Whole {
			e.Differs = differing(holder.Job.Payload, job.Payload)
		}
	}
	return e
}

// differing names the top-level fields in which two JSON objects differ.
func differing(a, b []byte) []string {
	var x, y map[string]json.RawMessage
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return nil
	}
	var names []string
	for name, v := range x {
		if w, ok := y[name]; !ok || !bytes.Equal(v, w) {
			names = append(names, name)
		}
	}
	for name := range y {
		if _, ok := x[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
