package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/twicehq/twice"
	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/queue"
)

// answered is an error as a client reads it.
type answered struct {
	Error struct {
		Code, What, Why, Remedy string
		Fields                  []service.Fault
	}
}

// read decodes an answer that must be one error, and in JSON.
func read(t *testing.T, w *httptest.ResponseRecorder) (a answered) {
	t.Helper()
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || w.Header().Get("Content-Type") != "application/json" {
		t.Fatalf("%d %s: %v", w.Code, w.Body, err)
	}
	return a
}

// What a service fails with is told as what it means to a client: whether the request is wrong, whether to
// send it again, and nothing of what went wrong inside.
func TestProblem(t *testing.T) {
	wrapped := func(err error) error {
		return fmt.Errorf("insert into orders: %w", &queue.Error{Op: "commit", Subject: "secret.db", Reason: err, Cause: errors.New("disk 7")})
	}
	const again = "send the same request again"
	for name, c := range map[string]struct {
		err    error
		status int
		code   string
		remedy string
		retry  bool // Retry-After is set
	}{
		"faults":               {&service.InvalidError{Faults: []service.Fault{{Field: "customer", Why: "w", Remedy: "r"}}}, 400, "invalid_order", "fields", false},
		"faults, wrapped":      {fmt.Errorf("x: %w", &service.InvalidError{}), 400, "invalid_order", "fields", false},
		"a conflict":           {&service.ConflictError{Reference: "r", Holder: "o-1", Differs: []string{"customer", "currency"}}, 409, "conflict", "reference of its own", false},
		"no such order":        {fmt.Errorf("order %q: %w", "o-1", service.ErrNotFound), 404, "not_found", "POST /orders", false},
		"an unknown outcome":   {wrapped(queue.ErrUnknownOutcome), 503, "unavailable", again, true},
		"a busy database":      {wrapped(queue.ErrUnavailable), 503, "unavailable", again, true},
		"a closed database":    {wrapped(queue.ErrClosed), 503, "unavailable", again, true},
		"out of time":          {wrapped(context.DeadlineExceeded), 503, "unavailable", again, true},
		"a full disk":          {wrapped(queue.ErrFull), 507, "no_room", again, false},
		"a read-only disk":     {wrapped(queue.ErrReadOnly), 507, "no_room", again, false},
		"a damaged row":        {wrapped(queue.ErrCorrupt), 500, "internal", "X-Request-Id", false},
		"anything else":        {errors.New("secret.db: disk 7"), 500, "internal", "X-Request-Id", false},
		"an error of the kind": {&problem{status: 418, Code: "teapot", What: "w", Remedy: "pour"}, 418, "teapot", "pour", false},
	} {
		t.Run(name, func(t *testing.T) {
			var log lines
			w := httptest.NewRecorder()
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			answer(func(http.ResponseWriter, *http.Request) error { return c.err })(w, r.WithContext(twice.WithLogger(r.Context(), log.logger())))
			a := read(t, w)
			if w.Code != c.status || a.Error.Code != c.code || a.Error.What == "" || !strings.Contains(a.Error.Remedy, c.remedy) || (w.Header().Get("Retry-After") != "") != c.retry {
				t.Errorf("%d %s %v", w.Code, w.Body, w.Header())
			}
			for _, inside := range []string{"secret", "disk 7", "insert into"} {
				if strings.Contains(w.Body.String(), inside) {
					t.Errorf("it tells %q: %s", inside, w.Body)
				}
			}
			if logged := log.has("request failed"); logged != (c.status >= 500) {
				t.Errorf("its own words are in the log: %v", logged)
			}
		})
	}
}

// What a conflict or a fault names is in the answer.
func TestProblem_details(t *testing.T) {
	p := problemOf(&service.ConflictError{Holder: "o-1", Differs: []string{"customer", "currency"}})
	if !strings.Contains(p.Why, "o-1") || !strings.Contains(p.Why, "customer, currency") {
		t.Errorf("why: %q", p.Why)
	}
	faults := []service.Fault{{Field: "a", Why: "b", Remedy: "c"}, {Field: "d", Why: "e", Remedy: "f"}}
	if p := problemOf(&service.InvalidError{Faults: faults}); !slices.Equal(p.Fields, faults) {
		t.Errorf("fields: %+v", p.Fields)
	}
}
