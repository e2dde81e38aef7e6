package service

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNotFound: there is no order of that id.
var ErrNotFound = errors.New("no such order")

// ErrState: the order is not in a state that allows this.
var ErrState = errors.New("the order is in another state")

// Fault is one thing that is wrong with a request: what, why, and what to do.
type Fault struct {
	Field  string `json:"field"`
	Why    string `json:"why"`
	Remedy string `json:"remedy"`
}

// InvalidError says everything that is wrong with a request.
type InvalidError struct{ Faults []Fault }

func (e *InvalidError) Error() string {
	texts := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		texts[i] = fmt.Sprintf("%s: %s (%s)", f.Field, f.Why, f.Remedy)
	}
	return "invalid order: " + strings.Join(texts, "; ")
}

// ConflictError says that another order has the reference.
type ConflictError struct {
	Reference string
	Holder    string   // the id of the order that has it
	Differs   []string // the fields in which it is another order
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("the reference %.80q stands for order %s, which is another one: it differs in %s (use a reference of its own, or send the same order)",
		e.Reference, e.Holder, strings.Join(e.Differs, ", "))
}
