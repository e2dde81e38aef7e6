package gateway

import (
	"errors"
	"fmt"
	"strings"
)

// What an *Error of the Client can be told apart by, with errors.Is.
var (
	// ErrDeclined is a definite no: nothing was charged.
	ErrDeclined = errors.New("declined")

	// ErrKeyReused means that the key stands for a charge of another order,
	// amount or currency. This call charged nothing; the key is a mistake.
	ErrKeyReused = errors.New("key used with another body")

	// ErrInvalid means that the gateway did not understand the request. Nothing
	// was charged, and a repeat cannot help.
	ErrInvalid = errors.New("invalid request")

	// ErrUnavailable means that there was no answer to rely on: a 503, a closed
	// connection, a time-out, a reply that cannot be read. From Charge it is
	// unknown, NOT a no: the charge may have been made. Ask with Find, or repeat
	// with the same key while the gateway remembers it. From the other methods it
	// means only that nothing was learned.
	ErrUnavailable = errors.New("unavailable, outcome unknown")
)

// Error is what every method of Client returns when it fails.
type Error struct {
	Op      string // charge, find, list, control, state, release, livez
	Thing   string // what it was about: the order, the key, the cursor
	Status  int    // of the answer; 0: there was none
	Code    string // the gateway's code; empty: the answer was not the gateway's
	Message string // the gateway's words
	Kind    error  // one of the Err variables above
	Err     error  // the cause beneath, such as context.DeadlineExceeded; may be nil
}

// Error says op, thing, reason and remedy.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "gateway: %s", e.Op)
	if e.Thing != "" {
		fmt.Fprintf(&b, " %s", e.Thing)
	}
	fmt.Fprintf(&b, ": %v", e.Kind)
	if e.Status != 0 {
		fmt.Fprintf(&b, " (%d)", e.Status)
	}
	if e.Message != "" {
		fmt.Fprintf(&b, ": %s", e.Message)
	}
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	if e.Op == opCharge && errors.Is(e.Kind, ErrUnavailable) {
		b.WriteString("; find the key, or repeat with the same key")
	}
	return b.String()
}

// Unwrap gives the kind and the cause to errors.Is and errors.As.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// kindOf judges an answer that is not the one hoped for. Only the gateway's own
// words are taken for a definite no: a 404 or a 402 from something in between
// is not one.
func kindOf(code string) error {
	switch code {
	case CodeDeclined:
		return ErrDeclined
	case CodeKeyReused:
		return ErrKeyReused
	case CodeInvalid, CodeTooLarge:
		return ErrInvalid
	}
	return ErrUnavailable
}
