package httpapi

import (
	"context"
	"net/http"
	"reflect"
	"strings"

	"github.com/twicehq/twice/queue"
)

// route is one row of the table: everything that is to be known of a method at a path. The description at
// /api/openapi.json is made of the same rows.
type route struct {
	name   string // operationId, and Op of its errors
	method string
	path   string // as [http.ServeMux] reads it
	role   Role
	needs  []string // abilities; see abilities.go
	doc    string
	params []param
	status []int // of answers that are no error; the first unless the answer says another
	action
}

// action is what a route does.
type action struct {
	body, answer reflect.Type // nil: none
	run          func(ctx context.Context, s *Server, c *call) (any, error)
}

// gives makes an action of a method that takes no body.
func gives[A any](do func(*Server, context.Context, *call) (A, error)) action {
	return action{nil, reflect.TypeFor[A](), func(ctx context.Context, s *Server, c *call) (any, error) { return do(s, ctx, c) }}
}

// takes makes an action of a method that takes a body.
func takes[B, A any](do func(*Server, context.Context, *call, B) (A, error)) action {
	return action{reflect.TypeFor[B](), reflect.TypeFor[A](), func(ctx context.Context, s *Server, c *call) (any, error) {
		var body B
		if err := decode(c.raw, &body); err != nil {
			return nil, err
		}
		return do(s, ctx, c, body)
	}}
}

// changes reports whether the route changes anything.
func (rt *route) changes() bool { return rt.method == http.MethodPost }

// call is one request to a route, its parameters checked.
type call struct {
	*route
	who    Who
	values map[string]value
	raw    []byte      // the body
	leave  func()      // gives the place of the request back
	by     queue.Actor // who made a change, once that is known
}

// statused is an answer that knows its status.
type statused interface{ status() int }

// failures are the statuses of errors that the route may answer.
func (rt *route) failures() []int {
	codes := []int{http.StatusBadRequest, http.StatusForbidden, http.StatusRequestURITooLong, http.StatusMisdirectedRequest,
		http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusGatewayTimeout}
	if rt.role > Nobody {
		codes = append(codes, http.StatusUnauthorized)
	}
	if strings.Contains(rt.path, "{") || rt.names() {
		codes = append(codes, http.StatusNotFound)
	}
	if len(rt.needs) > 0 {
		codes = append(codes, http.StatusNotImplemented)
	}
	if rt.changes() {
		codes = append(codes, http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType,
			http.StatusUnprocessableEntity, http.StatusInsufficientStorage)
	}
	return codes
}

// names reports whether the query, or the body, names one thing, which may not be there.
func (rt *route) names() bool { return rt.name == "findJob" || rt.name == "cancelJobs" }
