package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/twicehq/twice/queue"
)

// Each status that is described of a route is one that it answers: those that come before a route does anything by a
// request that earns them, and the others by what an engine answers.
func TestStatuses_are_answered(t *testing.T) {
	routes := slices.Clone(table)
	var answer error
	for i := range routes {
		rt := &routes[i]
		rt.run = func(context.Context, *Server, *call) (any, error) { return nil, answer }
	}
	r := newRig(t, inMemory(t), Config{Tokens: tokens(t), MaxBody: 4 << 10})
	r.api.mux = http.NewServeMux()
	r.api.mount(routes)
	operator := bearer(opToken)
	for i := range routes {
		rt := &routes[i]
		path, body := pathOf(rt), bodyOf(rt)
		earn := map[int]func() int{
			400: func() int { return r.ask(rt.method, path+sep(path)+"unknown=1", body, operator...).Code },
			401: func() int { return r.ask(rt.method, path, body).Code },
			403: func() int {
				return r.ask(rt.method, path, body, append(operator, "Sec-Fetch-Site", "cross-site")...).Code
			},
			413: func() int { return r.ask(rt.method, path, strings.Repeat(" ", 5<<10), operator...).Code },
			414: func() int { return r.ask(rt.method, path+sep(path)+strings.Repeat("x", 9000), body, operator...).Code },
			415: func() int {
				return r.ask(rt.method, path, body, append(operator, "Content-Type", "text/plain")...).Code
			},
			421: func() int {
				r.api.guard.hosts = []string{"elsewhere"}
				defer func() { r.api.guard.hosts = nil }()
				return r.ask(rt.method, path, body, operator...).Code
			},
		}
		for status, reason := range map[int]error{404: queue.ErrNotFound, 409: queue.ErrConflict, 422: queue.ErrRefused, 500: ErrInternal, 501: queue.ErrUnsupported, 503: queue.ErrUnavailable, 504: queue.ErrUnknownOutcome, 507: queue.ErrFull} {
			earn[status] = func() int {
				answer = &queue.Error{Op: rt.name, Reason: reason}
				return r.ask(rt.method, path, body, operator...).Code
			}
		}
		for _, status := range rt.failures() {
			if slices.Contains(rt.status, status) {
				continue // it is health's own
			}
			if got := earn[status](); got != status {
				t.Errorf("%s: %d, not %d", rt.name, got, status)
			}
		}
	}
	for i := range routes { // and none of the others of a request's own
		for _, status := range []int{413, 415} {
			if rt := &routes[i]; slices.Contains(rt.failures(), status) != (rt.body != nil) {
				t.Errorf("%s: %d", rt.name, status)
			}
		}
	}
	if testing.Verbose() {
		n := 0
		observed.Range(func(any, any) bool { n++; return true })
		fmt.Println(n, "statuses of routes were seen")
	}
}

func sep(path string) string {
	if strings.Contains(path, "?") {
		return "&"
	}
	return "?"
}

// A client within the process needs the same token, and no host's name.
func TestDirect(t *testing.T) {
	r := newRig(t, inMemory(t), Config{Tokens: tokens(t), Hosts: []string{"twice.internal"}})
	c := r.api.Direct(ClientConfig{Token: opToken})
	if _, err := c.Enqueue(t.Context(), queue.Job{Queue: "q", Kind: "k", Key: "x"}); err != nil {
		t.Error(err)
	}
	if j, err := c.JobOf(t.Context(), "k", "x"); err != nil || j.State != queue.Queued {
		t.Error(j, err)
	}
	if _, err := r.api.Direct(ClientConfig{Token: viewToken}).Cancel(t.Context(), Change{IDs: []queue.ID{queue.NewID("k", "x")}, Why: because}); err == nil {
		t.Error("a viewer changed it")
	}
	if _, err := r.api.Direct(ClientConfig{}).JobOf(t.Context(), "k", "x"); err == nil {
		t.Error("a stranger saw it")
	}
	if h, err := c.Ready(t.Context()); err != nil || h.Status != "ok" {
		t.Error(h, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Queue(ended, "q"); err == nil {
		t.Error("an ended context")
	}
}
