package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/twicehq/twice/internal/open"
	"github.com/twicehq/twice/queue"
)

// Exit statuses. A script may rely on them.
const (
	exitGood        = 0
	exitBad         = 1   // what was asked about is bad: not found, refused, jobs missing
	exitUsage       = 2   // the command was not understood, or cannot be done so
	exitUnreachable = 3   // the engine cannot be reached or used
	exitInterrupted = 130 // a signal ended it, as shells have it
)

// errBad ends a command whose answer, already given, is that something is bad.
var errBad = errors.New("bad")

// unreachable marks an error of opening: whatever its reason, there is no engine.
type unreachable struct{ error }

func (u *unreachable) Unwrap() error { return u.error }

func statusOf(err error) int {
	is := func(reasons ...error) bool {
		for _, r := range reasons {
			if errors.Is(err, r) {
				return true
			}
		}
		return false
	}
	var opening *unreachable
	switch {
	case is(context.Canceled):
		return exitInterrupted
	case is(errBad):
		return exitBad
	case is(queue.ErrUnavailable, queue.ErrUnknownOutcome, queue.ErrReadOnly, queue.ErrFull, queue.ErrClosed, queue.ErrSchema, context.DeadlineExceeded):
		return exitUnreachable
	case is(queue.ErrNotFound, queue.ErrConflict, queue.ErrRefused, queue.ErrState, queue.ErrInDoubt, queue.ErrCapped, queue.ErrLeaseLost):
		return exitBad
	case is(queue.ErrInvalid, queue.ErrTooLarge, queue.ErrUnsupported, open.ErrVersion):
		return exitUsage
	case errors.As(err, &opening):
		return exitUnreachable
	}
	return exitBad
}

// fail tells of err, unless the answer has done that, and gives the exit status.
func (s *session) fail(err error) int {
	_ = s.close()
	status := statusOf(err)
	switch {
	case errors.Is(err, errBad):
	case s.json:
		_ = s.emit(struct {
			Error fault `json:"error"`
		}{explain(err)})
	default:
		_ = s.write(s.Stderr, []byte(explain(err).text(s)))
	}
	return status
}

// write writes all of b. Whoever reads may have gone (a closed pipe): that ends the command.
func (s *session) write(w io.Writer, b []byte) error {
	if _, err := w.Write(b); err != nil {
		return &queue.Error{Op: "write", Subject: "the answer", Reason: errOutput, Cause: err, Remedy: "see where the output goes"}
	}
	return nil
}

var errOutput = errors.New("output lost")

// usage makes the error of a command that cannot be done as it was given.
func usage(op, detail, remedy string) error {
	return &queue.Error{Op: op, Reason: queue.ErrInvalid, Detail: detail, Remedy: remedy}
}

func usagef(op, remedy, detail string, args ...any) error {
	return usage(op, fmt.Sprintf(detail, args...), remedy)
}

// missing reports whether err says that there is nothing of that name.
func missing(err error) bool { return errors.Is(err, queue.ErrNotFound) }
