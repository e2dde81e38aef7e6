package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/twicehq/twice"
)

// through sends a request through everything that stands before the routes.
func through(log *lines, handle http.HandlerFunc, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	identified(log.logger(), logged(recovered(handle))).ServeHTTP(w, r)
	return w
}

// A request has one id: the client's, where it is one, else a new one of its own. It is answered, logged, and in the
// context from which jobs are made.
func TestRequestID(t *testing.T) {
	made := map[string]bool{}
	for sent, kept := range map[string]bool{
		"a": true, "req-1.A_b": true, strings.Repeat("x", 128): true,
		"": false, strings.Repeat("x", 129): false, "-x": false, "a b": false, "a\nb": false, `"}`: false, "ä": false, "a,b": false,
	} {
		var log lines
		var inside string
		w := through(&log, func(_ http.ResponseWriter, r *http.Request) { inside = twice.RequestID(r.Context()) }, "/", "X-Request-Id", sent)
		id := w.Header().Get("X-Request-Id")
		if (id == sent) != kept || id == "" || inside != id || made[id] {
			t.Errorf("sent %q, answered %q, inside %q", sent, id, inside)
		}
		made[id] = true
		if all := log.all("request answered"); len(all) != 1 || all[0]["request_id"] != id || all[0]["trace_id"] != nil {
			t.Errorf("sent %q, logged %v", sent, all)
		}
	}
}

// A traceparent is taken over where it is one: its trace is logged, and it travels on as it came.
func TestTraceparent(t *testing.T) {
	const trace, parent = "0af7651916cd43dd8448eb211c80319c", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for sent, kept := range map[string]bool{
		parent: true, "": false, strings.ToUpper(parent): false, parent + "-x": false, "01" + parent[2:]: false, parent[1:]: false, "00-" + trace: false,
	} {
		var log lines
		var inside string
		through(&log, func(_ http.ResponseWriter, r *http.Request) { inside = twice.Traceparent(r.Context()) }, "/", "Traceparent", sent)
		all := log.all("request answered")
		if (inside == parent) != kept || len(all) != 1 || (all[0]["trace_id"] == trace) != kept || !kept && (inside != "" || all[0]["trace_id"] != nil) {
			t.Errorf("sent %q, inside %q, logged %v", sent, inside, all)
		}
	}
}

// Each request is one line, with the status that was answered; a path cannot write more than its share of it.
func TestLogged(t *testing.T) {
	for name, c := range map[string]struct {
		path   string
		handle http.HandlerFunc
		status float64
		level  string
	}{
		"nothing said":     {"/", func(http.ResponseWriter, *http.Request) {}, 200, "INFO"},
		"a status":         {"/", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }, 404, "INFO"},
		"the first counts": {"/", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(409); w.WriteHeader(500) }, 409, "INFO"},
		"only a body":      {"/", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("x")); w.WriteHeader(500) }, 200, "INFO"},
		"it lives":         {"/livez", func(http.ResponseWriter, *http.Request) {}, 200, "DEBUG"},
		"it does not live": {"/livez", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, 503, "INFO"},
		"a long path":      {"/" + strings.Repeat("p", 5000), func(http.ResponseWriter, *http.Request) {}, 200, "INFO"},
	} {
		var log lines
		through(&log, c.handle, c.path)
		all := log.all("request answered")
		if len(all) != 1 || all[0]["status"] != c.status || all[0]["level"] != c.level || len(all[0]["path"].(string)) > 200 || all[0]["method"] != "GET" {
			t.Errorf("%s: %v", name, all)
		}
	}
}

// A handler that panics is answered with a 500 that tells nothing, unless it has begun to answer; the log has
// its stack and the request's id. http.ErrAbortHandler goes on to the server.
func TestRecovered(t *testing.T) {
	var log lines
	w := through(&log, func(http.ResponseWriter, *http.Request) { panic("secret") }, "/", "X-Request-Id", "req-1")
	if a := read(t, w); w.Code != 500 || a.Error.Code != "internal" || strings.Contains(w.Body.String(), "secret") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	all := log.all("request panicked")
	if len(all) != 1 || all[0]["error"] != "secret" || all[0]["request_id"] != "req-1" || !strings.Contains(all[0]["stack"].(string), "middle_test") {
		t.Errorf("logged %v", all)
	}
	if all := log.all("request answered"); len(all) != 1 || all[0]["status"] != 500.0 {
		t.Errorf("logged %v", all)
	}
	begun := func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("half")); panic("secret") }
	if w := through(&log, begun, "/"); w.Code != 200 || w.Body.String() != "half" {
		t.Errorf("one that had begun: %d %s", w.Code, w.Body)
	}
	defer func() {
		if recover() != http.ErrAbortHandler {
			t.Error("an abort was held up")
		}
	}()
	through(&log, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "/")
}
