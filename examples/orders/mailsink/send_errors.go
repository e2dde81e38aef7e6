package mailsink

import (
	"errors"
	"fmt"
	"strings"
)

// What an *Error of Send can be told apart by, with errors.Is. Every one is
// either ErrNotSent or ErrUnknown.
var (
	// ErrNotSent is definite: the server did not take the mail. A repeat cannot
	// make it arrive twice.
	ErrNotSent = errors.New("not sent")

	// ErrRefused is an ErrNotSent for good: the server said 5xx. A repeat of the
	// same mail will be refused again.
	ErrRefused = errors.New("refused")

	// ErrInvalid is an ErrNotSent for good: the mail cannot be written down, such
	// as an address that is none. No connection was made.
	ErrInvalid = errors.New("invalid mail")

	// ErrUnknown means that the end of the mail may have reached the server and its
	// reply did not come back, or did not say. The mail was accepted or it was not;
	// a mail server cannot be asked, and a repeat may make it arrive twice.
	ErrUnknown = errors.New("unknown whether sent")
)

// Error is what Send returns when it fails.
type Error struct {
	MessageID string
	Phase     string // how far it came: mail, dial, hello, from, to, data, body, dot
	Code      int    // the server's reply; 0: there was none
	Kinds     []error
	Err       error // the cause beneath
}

// Error says op, thing, reason and remedy.
func (e *Error) Error() string {
	var words []string
	for _, kind := range e.Kinds {
		words = append(words, kind.Error())
	}
	text := fmt.Sprintf("mailsink: send <%s>: %s (at %s)", e.MessageID, strings.Join(words, ", "), e.Phase)
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	switch {
	case errors.Is(e, ErrUnknown):
		text += "; a person must decide whether to send it again"
	case errors.Is(e, ErrInvalid), errors.Is(e, ErrRefused):
		text += "; correct the mail, a repeat cannot help"
	default:
		text += "; it is safe to send it again"
	}
	return text
}

// Unwrap gives the kinds and the cause to errors.Is and errors.As.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return e.Kinds
	}
	return append(append([]error{}, e.Kinds...), e.Err)
}
