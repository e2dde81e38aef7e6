package api

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/queue"
)

// problem is an error as it is answered.
type problem struct {
	status int
	Code   string          `json:"code"`
	What   string          `json:"what"`
	Why    string          `json:"why,omitempty"`
	Remedy string          `json:"remedy,omitempty"`
	Fields []service.Fault `json:"fields,omitempty"`
}

func (p *problem) Error() string { return p.Code + ": " + p.What }

// answer makes an http.HandlerFunc of a handler that has either answered, or returns why not.
func answer(handle func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := handle(w, r)
		if err == nil {
			return
		}
		p := problemOf(err)
		if p.status >= http.StatusInternalServerError {
			twice.Logger(r.Context()).ErrorContext(r.Context(), "request failed", "error", err)
		}
		if p.status == http.StatusServiceUnavailable {
			w.Header().Set("Retry-After", "1")
		}
		_ = writeJSON(w, p.status, map[string]*problem{"error": p})
	}
}

// problemOf says what an error means to a client. What it does not know is a 500 that tells nothing: the
// log has the words.
func problemOf(err error) *problem {
	var known *problem
	var invalid *service.InvalidError
	var conflict *service.ConflictError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &invalid):
		return &problem{status: http.StatusBadRequest, Code: "invalid_order", What: "the order cannot be placed",
			Remedy: "correct the fields that are listed", Fields: invalid.Faults}
	case errors.As(err, &conflict):
		return &problem{status: http.StatusConflict, Code: "conflict", What: "the reference stands for another order",
			Why:    "order " + conflict.Holder + " differs in " + strings.Join(conflict.Differs, ", "),
			Remedy: "use a reference of its own, or send the same order"}
	case errors.Is(err, service.ErrNotFound):
		return &problem{status: http.StatusNotFound, Code: "not_found", What: "there is no such order", Remedy: "use the id that POST /orders answered"}
	case errors.Is(err, queue.ErrUnknownOutcome), errors.Is(err, queue.ErrUnavailable), errors.Is(err, context.DeadlineExceeded), errors.Is(err, queue.ErrClosed):
		return &problem{status: http.StatusServiceUnavailable, Code: "unavailable", What: "the database did not answer in time, so nothing can be said of the order",
			Remedy: "send the same request again: it is safe"}
	case errors.Is(err, queue.ErrFull), errors.Is(err, queue.ErrReadOnly):
		return &problem{status: http.StatusInsufficientStorage, Code: "no_room", What: "nothing can be stored at present",
			Remedy: "send the same request again later: it is safe"}
	}
	return &problem{status: http.StatusInternalServerError, Code: "internal", What: "something went wrong here",
		Remedy: "send the same request again: it is safe; if it goes on, report the X-Request-Id"}
}
