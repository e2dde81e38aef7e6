package queue

import (
	"errors"
	"strings"
)

// Reasons. Compare with [errors.Is]; the error itself is mostly an [*Error], which says more.
var (
	// ErrInvalid: the caller's input breaks a rule; repeating it cannot help.
	ErrInvalid = errors.New("invalid")
	// ErrTooLarge: a payload, key, header or batch exceeds its limit.
	ErrTooLarge = errors.New("too large")
	// ErrConflict: the id is held by a job with another fingerprint.
	ErrConflict = errors.New("conflict: the same key with other content")
	// ErrRefused: the job's origin is at or before the queue's mark, or too far ahead.
	ErrRefused = errors.New("refused")
	// ErrLeaseLost: another claim has replaced this lease, or the job has ended. Nothing was changed.
	ErrLeaseLost = errors.New("lease lost")
	// ErrCancelled: a person cancelled the job. Such an error is also ErrLeaseLost.
	ErrCancelled = errors.New("cancelled")
	// ErrNotFound: the engine holds nothing of that name.
	ErrNotFound = errors.New("not found")
	// ErrState: the job is in a state that does not allow this.
	ErrState = errors.New("wrong state")
	// ErrInDoubt: nobody can tell whether an effect happened; a person must say (resolve).
	ErrInDoubt = errors.New("in doubt")
	// ErrCapped: the job was redriven as often as it may be (MaxRedrives).
	ErrCapped = errors.New("redrive cap reached")
	// ErrFired: another scheduler has fired this entry since it was read.
	ErrFired = errors.New("already fired")
	// ErrUnknownOutcome: the engine may or may not have done it. Repeating the same call is safe.
	ErrUnknownOutcome = errors.New("outcome unknown")
	// ErrUnavailable: the engine did not do it, and may do it later: it is busy, or cannot be reached.
	ErrUnavailable = errors.New("unavailable")
	// ErrReadOnly, ErrFull: the store takes no writes, or has no room.
	ErrReadOnly = errors.New("read-only")
	ErrFull     = errors.New("no room")
	// ErrCorrupt: what is stored cannot be read. The rest of the store stays usable.
	ErrCorrupt = errors.New("corrupt")
	// ErrSchema: the store is of another program, or of a newer version than this one knows.
	ErrSchema = errors.New("unusable schema")
	// ErrClosed: the engine was closed.
	ErrClosed = errors.New("closed")
	// ErrUnsupported: this engine lacks the ability.
	ErrUnsupported = errors.New("not supported by this engine")
)

// Error says what was tried (Op), on what (Subject), why it failed (Reason, one of the Err variables;
// Detail, in numbers where there are any; Cause, the error below, if any) and what to do (Remedy).
// It matches Reason and Cause in errors.Is.
type Error struct {
	Op      string
	Subject string
	Reason  error
	Detail  string
	Remedy  string
	Cause   error
}

// Error gives one line: op, subject, reason, detail, cause; then the remedy.
func (e *Error) Error() string {
	var parts []string
	say := func(s string) {
		if s = strings.TrimSpace(s); s != "" {
			parts = append(parts, s)
		}
	}
	say(e.Op + " " + e.Subject)
	if e.Reason != nil {
		say(e.Reason.Error())
	}
	say(e.Detail)
	if e.Cause != nil {
		say(e.Cause.Error())
	}
	text := strings.Join(parts, ": ")
	if e.Remedy != "" {
		text += " (" + e.Remedy + ")"
	}
	return text
}

// Unwrap gives Reason and Cause.
func (e *Error) Unwrap() []error {
	var errs []error
	for _, err := range []error{e.Reason, e.Cause} {
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}
