package httpapi

import (
	"context"
	"errors"
	"strings"

	"github.com/twicehq/twice/queue"
)

// Fault is an error on the wire.
type Fault struct {
	Op      string `json:"op"`      // what was tried
	Subject string `json:"subject"` // on what
	Reason  string `json:"reason"`  // one of a fixed set of words
	// Also has further words that hold of it, such as lease_lost beside cancelled.
	Also   []string `json:"also,omitempty"`
	Detail string   `json:"detail"` // why, in words and numbers
	Remedy string   `json:"remedy"` // what to do
	// Problems is everything that is wrong, where it is more than one thing.
	Problems []Fault `json:"problems,omitempty"`
}

// Failure is the body of every answer that is an error.
type Failure struct {
	Error Fault `json:"error"`
}

// maxTold bounds the texts of a fault, in bytes.
const maxTold = 2 << 10

// faultOf translates an error. Of one without a known reason nothing is told but that: it may hold anything.
func faultOf(err error) Fault {
	all := words(err)
	var e *queue.Error
	if len(all) == 0 || !errors.As(err, &e) {
		f := Fault{Op: "serve", Subject: "request", Reason: "internal", Detail: "an error that has no reason", Remedy: "look at the server's log"}
		if len(all) > 0 {
			f.Reason, f.Also, f.Detail, f.Remedy = all[0].word, also(all), cut(err.Error(), maxTold), all[0].remedy
		}
		return f
	}
	f := Fault{Op: cut(e.Op, maxTold), Subject: cut(e.Subject, maxTold), Reason: all[0].word, Also: also(all), Detail: e.Detail, Remedy: e.Remedy}
	var several queue.Problems
	if errors.As(e.Cause, &several) {
		for _, p := range several {
			one := faultOf(p)
			if one.Op == "" && one.Subject == "" {
				one.Op, one.Subject = f.Op, f.Subject
			}
			if len(one.Problems) > 0 {
				f.Problems = append(f.Problems, one.Problems...)
			} else {
				f.Problems = append(f.Problems, one)
			}
		}
	} else if e.Cause != nil && len(words(e.Cause)) > 0 || isContext(e.Cause) {
		f.Detail = strings.TrimPrefix(f.Detail+": "+e.Cause.Error(), ": ")
	}
	if f.Remedy == "" {
		f.Remedy = all[0].remedy
		if len(f.Problems) > 0 {
			f.Remedy = "mend each of them: " + f.Problems[0].Remedy
		}
	}
	f.Detail, f.Remedy = cut(f.Detail, maxTold), cut(f.Remedy, maxTold)
	return f
}

func also(all []reason) []string {
	var also []string
	for _, r := range all[1:] {
		also = append(also, r.word)
	}
	return also
}

// statusOf is the status of an answer that is this error.
func statusOf(err error) int {
	var r *rejection
	if errors.As(err, &r) {
		return r.status
	}
	if all := words(err); len(all) > 0 {
		return all[0].status
	}
	return 500
}

// rejection is an error of HTTP itself, with a status of its own.
type rejection struct {
	status int
	err    error
}

func (r *rejection) Error() string { return r.err.Error() }
func (r *rejection) Unwrap() error { return r.err }

func reject(status int, reason error, subject, detail, remedy string) error {
	return &rejection{status, &queue.Error{Op: "request", Subject: subject, Reason: reason, Detail: detail, Remedy: remedy}}
}

func invalid(op, subject, detail, remedy string) error {
	return &queue.Error{Op: op, Subject: subject, Reason: queue.ErrInvalid, Detail: detail, Remedy: remedy}
}

// joined makes one error of everything that is wrong; nil where nothing is.
func joined(op, subject string, found queue.Problems) error {
	switch len(found) {
	case 0:
		return nil
	case 1:
		return found[0]
	}
	return &queue.Error{Op: op, Subject: subject, Cause: found}
}

func isContext(err error) bool {
	return err != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded))
}

// timed gives an error that came of time running out its reason: of a change nobody knows whether it was made.
func timed(err error, change bool) error {
	if err == nil || !isContext(err) || errors.Is(err, queue.ErrUnknownOutcome) {
		return err
	}
	reason := queue.ErrUnavailable
	if change {
		reason = queue.ErrUnknownOutcome
	}
	return &queue.Error{Op: "serve", Subject: "request", Reason: reason, Detail: "the engine did not answer in time"}
}

// Err turns a fault back into an error: errors.Is finds every reason that the server's error had.
func (f Fault) Err() error {
	e := &queue.Error{Op: f.Op, Subject: f.Subject, Reason: reasonOf(f.Reason), Detail: f.Detail, Remedy: f.Remedy}
	var beside besides
	for _, word := range f.Also {
		beside.reasons = append(beside.reasons, reasonOf(word))
	}
	for _, p := range f.Problems {
		beside.problems = append(beside.problems, p.Err())
	}
	if len(beside.reasons)+len(beside.problems) > 0 {
		e.Cause = beside
	}
	return e
}

// besides is what an error is as well.
type besides struct {
	reasons  []error
	problems queue.Problems
}

func (b besides) Error() string {
	if len(b.problems) > 0 {
		return b.problems.Error()
	}
	return errors.Join(b.reasons...).Error()
}

func (b besides) Unwrap() []error {
	if len(b.problems) == 0 {
		return b.reasons
	}
	return append([]error{b.problems}, b.reasons...)
}
