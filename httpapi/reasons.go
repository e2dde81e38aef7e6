package httpapi

import (
	"errors"
	"net/http"

	"github.com/twicehq/twice/queue"
)

// Reasons of the API itself, beside those of package queue. Compare with [errors.Is].
var (
	// ErrUnauthenticated: the request carries no token that is known.
	ErrUnauthenticated = errors.New("no valid token")
	// ErrForbidden: its token may not do this, or the request came from where it may not come from.
	ErrForbidden = errors.New("not allowed")
	// ErrInternal: the server failed in a way that it does not tell. Its log says more.
	ErrInternal = errors.New("the server failed")
	// ErrExposed: an API without tokens was to be opened to other machines. It is also queue.ErrInvalid.
	ErrExposed error = exposed{}
)

type exposed struct{}

func (exposed) Error() string { return "open to other machines without tokens" }
func (exposed) Unwrap() error { return queue.ErrInvalid }

// reason is one row of what errors are called on the wire. The first row that an error matches is its reason,
// the others that it matches are told beside it.
type reason struct {
	word   string
	is     error
	status int
	remedy string // where the error gives none
}

var reasons = []reason{
	{"unauthenticated", ErrUnauthenticated, http.StatusUnauthorized, "send a token: Authorization: Bearer TOKEN"},
	{"forbidden", ErrForbidden, http.StatusForbidden, "ask an operator"},
	{"internal", ErrInternal, http.StatusInternalServerError, "look at the server's log"},
	{"unknown_outcome", queue.ErrUnknownOutcome, http.StatusGatewayTimeout, "repeat the same request: it is safe"},
	{"unavailable", queue.ErrUnavailable, http.StatusServiceUnavailable, "see that the engine runs, then repeat the request"},
	{"read_only", queue.ErrReadOnly, http.StatusServiceUnavailable, "make the store writable"},
	{"full", queue.ErrFull, http.StatusInsufficientStorage, "free some space, then repeat the request"},
	{"corrupt", queue.ErrCorrupt, http.StatusInternalServerError, "copy the store before anything else, then check the copy"},
	{"schema", queue.ErrSchema, http.StatusInternalServerError, "run a version that knows the store"},
	{"closed", queue.ErrClosed, http.StatusServiceUnavailable, "repeat the request once the server is up again"},
	{"unsupported", queue.ErrUnsupported, http.StatusNotImplemented, "/api/v1/abilities tells what this engine can do"},
	{"too_large", queue.ErrTooLarge, http.StatusRequestEntityTooLarge, "make it smaller"},
	{"conflict", queue.ErrConflict, http.StatusConflict, "use another key for another job, or the same content for the same one"},
	{"refused", queue.ErrRefused, http.StatusUnprocessableEntity, "it may have run before; if it must run again, give it another key"},
	{"in_doubt", queue.ErrInDoubt, http.StatusConflict, "find out whether the effect happened, then resolve the doubt"},
	{"redrive_cap", queue.ErrCapped, http.StatusConflict, "discard it, or enqueue it anew under another key"},
	{"not_found", queue.ErrNotFound, http.StatusNotFound, "see that the name is right; jobs that have ended are forgotten in the end"},
	{"wrong_state", queue.ErrState, http.StatusConflict, "look the job up: it says what can be done"},
	{"cancelled", queue.ErrCancelled, http.StatusConflict, "nothing: a person has ended the job"},
	{"lease_lost", queue.ErrLeaseLost, http.StatusConflict, "it was claimed meanwhile: repeat the request"},
	{"already_fired", queue.ErrFired, http.StatusConflict, "nothing: it has been done"},
	{"invalid", queue.ErrInvalid, http.StatusBadRequest, "/api/openapi.json describes every request"},
}

// words gives every reason that err has, the first one first.
func words(err error) []reason {
	var all []reason
	for _, r := range reasons {
		if errors.Is(err, r.is) {
			all = append(all, r)
		}
	}
	return all
}

// reasonOf gives the error of a word; one that this version does not know is ErrInternal.
func reasonOf(word string) error {
	for _, r := range reasons {
		if r.word == word {
			return r.is
		}
	}
	return ErrInternal
}
