package httpapi

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/twicehq/twice/queue"
)

// pathOf gives a path of a route, and a body that its change accepts or refuses by what it says.
func pathOf(rt *route) string {
	id := queue.NewID("k", "x").String()
	path := strings.NewReplacer("{id}", id, "{queue}", "default", "{schedule}", "nightly").Replace(rt.path)
	if rt.name == "findJob" {
		path += "?kind=k&key=x"
	}
	return path
}

func bodyOf(rt *route) string {
	switch {
	case !rt.changes():
		return ""
	case rt.name == "enqueue":
		return `{"kind":"k","key":"x","args":{}}`
	case rt.name == "enqueueBatch":
		return `{"jobs":[{"kind":"k","key":"x","args":{}}]}`
	case rt.name == "resolveJob":
		return `{"step":"charge","happened":true,"why":"w"}`
	case rt.name == "runSchedule":
		return `{"at":"2030-01-01T00:00:00Z","args":{},"why":"w"}`
	case strings.HasSuffix(rt.path, "/redrive"), strings.HasSuffix(rt.path, "/discard"), strings.HasSuffix(rt.path, "/jobs/cancel"):
		return `{"ids":["` + queue.NewID("k", "x").String() + `"],"why":"w"}`
	}
	return `{"why":"w"}`
}

// Each route for each sort of caller: nobody is let in without a token but to health, a viewer changes nothing, an
// operator may do everything.
func TestRoles(t *testing.T) {
	for i := range table {
		rt := &table[i]
		t.Run(rt.name, func(t *testing.T) {
			e := inMemory(t)
			r := newRig(t, e, Config{Tokens: tokens(t)})
			if got := r.ask(rt.method, pathOf(rt), bodyOf(rt)).Code; (got == 401) != (rt.role > Nobody) {
				t.Errorf("without a token: %d", got)
			}
			if got := r.ask(rt.method, pathOf(rt), bodyOf(rt), bearer("an-unknown-token-123")...).Code; (got == 401) != (rt.role > Nobody) {
				t.Errorf("with an unknown token: %d", got)
			}
			w := r.ask(rt.method, pathOf(rt), bodyOf(rt), bearer(viewToken)...)
			if (w.Code == 403) != (rt.role == Operator) {
				t.Errorf("a viewer: %d %s", w.Code, w.Body)
			}
			if d, _ := e.Depths(t.Context()); len(d) > 0 {
				t.Errorf("a viewer changed %v", d)
			}
			if w := r.ask(rt.method, pathOf(rt), bodyOf(rt), bearer(opToken)...); w.Code == 401 || w.Code == 403 {
				t.Errorf("an operator: %d %s", w.Code, w.Body)
			}
			if rt.changes() != (rt.role == Operator) {
				t.Errorf("it changes %t and takes %s", rt.changes(), rt.role)
			}
		})
	}
}

// Paths that are not there, and methods that are not taken, tell nothing to whoever has no token.
func TestRoles_beside_the_routes(t *testing.T) {
	r := newRig(t, inMemory(t), Config{Tokens: tokens(t)})
	for _, path := range []string{v1 + "else", v1, "/api/", v1 + "jobs/x/y/z"} {
		if w := r.ask("GET", path, ""); w.Code != 401 {
			t.Errorf("%s: %d", path, w.Code)
		}
		if w := r.ask("GET", path, "", bearer(viewToken)...); w.Code != 404 || fault(t, w).Reason != "not_found" {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	for _, method := range []string{"PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"} {
		if w := r.ask(method, v1+"jobs", ""); w.Code != 401 {
			t.Errorf("%s: %d", method, w.Code)
		}
		if w := r.ask(method, v1+"jobs", "", bearer(opToken)...); w.Code != 405 || w.Header().Get("Allow") != "GET, POST, HEAD" {
			t.Errorf("%s: %d %s %s", method, w.Code, w.Header(), w.Body)
		}
	}
	if w := r.ask("HEAD", v1+"jobs", "", bearer(viewToken)...); w.Code != 200 {
		t.Errorf("HEAD: %d", w.Code)
	}
	if w := r.ask("GET", "/", ""); w.Code != 404 {
		t.Errorf("/: %d", w.Code)
	}
}

// The control: with the routes' roles taken down, a viewer changes what it likes, and a stranger sees it.
func TestRoles_control(t *testing.T) {
	weak := slices.Clone(table)
	for i := range weak {
		if weak[i].name == "enqueue" {
			weak[i].role = Viewer
		}
	}
	r := newRig(t, inMemory(t), Config{Tokens: tokens(t)})
	body := `{"kind":"k","key":"x","args":{}}`
	if w := r.ask("POST", v1+"jobs", body, bearer(viewToken)...); w.Code != 403 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	r.api.mux = http.NewServeMux()
	r.api.mount(weak)
	if w := r.ask("POST", v1+"jobs", body, bearer(viewToken)...); w.Code != 201 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	r.api.cfg.Tokens = Tokens{}
	if w := r.ask("GET", v1+"jobs", ""); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
