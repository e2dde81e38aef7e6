package worker

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/queue"
)

// ErrShutdown is the cause of a handler's context that ended because the worker is shutting down and the
// grace has passed. The attempt counts as interrupted, and the job runs again elsewhere at once.
var ErrShutdown = errors.New("the worker is shutting down")

// ErrDeaf: half of the slots are lost to handlers that do not end when their context does. Run fails
// with it; the process should exit, so that a fresh one takes its place.
var ErrDeaf = errors.New("too many handlers are deaf to their context")

// TimeoutError is the cause of a handler's context that ran out of time. It is
// [context.DeadlineExceeded].
type TimeoutError struct{ After time.Duration }

func (e *TimeoutError) Error() string { return fmt.Sprintf("timed out after %s", e.After) }

// Is reports whether target is context.DeadlineExceeded.
func (e *TimeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// Timeout makes it a timeout in the sense of package net.
func (e *TimeoutError) Timeout() bool { return true }

// undecodable marks the error of a payload that is not of its kind.
type undecodable struct{ error }

func (u *undecodable) Unwrap() error { return u.error }

// ending reads a handler's answer; cause says why its context ended, nil if it did not. What the handler
// says in so many words (done, buried, snoozed, in doubt) holds even when its context had ended; a plain
// error is then owed to that.
func ending(answer, cause error) Ending {
	if answer == nil {
		return Ending{Outcome: queue.OutcomeDone}
	}
	end := Ending{Outcome: queue.OutcomeFailed, Error: cut(answer.Error())}
	var buried *twice.Buried
	var snoozed *twice.Snoozed
	var bytes *undecodable
	var late *TimeoutError
	switch {
	case errors.Is(answer, queue.ErrInDoubt):
		end.Outcome, end.InDoubt = queue.OutcomeBuried, true
	case errors.As(answer, &buried):
		end.Outcome = queue.OutcomeBuried
	case errors.As(answer, &snoozed):
		end.Outcome, end.Delay = queue.OutcomeSnoozed, snoozed.For
	case errors.As(answer, &bytes):
		end.Undecodable = true
	case errors.As(cause, &late):
		end.Outcome, end.Error = queue.OutcomeTimedOut, cut(late.Error()+": "+answer.Error())
	case errors.Is(cause, ErrShutdown):
		end.Outcome = queue.OutcomeInterrupted
	}
	return end
}

// panicked is the ending of a handler that did not return: v is what was recovered, nil where it called
// runtime.Goexit. It must be called by the deferred function that recovered, for the stack to be there.
func panicked(v any) Ending {
	end := Ending{Outcome: queue.OutcomePanicked, Error: "the handler called runtime.Goexit"}
	if v != nil {
		end.Error = cut(fmt.Sprintf("panic: %v\n\n%s", v, debug.Stack()))
	}
	return end
}

// cut cuts an error's text at MaxError, and says so.
func cut(text string) string {
	if len(text) <= queue.MaxError {
		return text
	}
	note := fmt.Sprintf(" … cut: it had %d bytes", len(text))
	return text[:queue.MaxError-len(note)] + note
}
