package httpapi

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twicehq/twice/queue"
)

// stuck is an engine that does not come back until it is let go, whatever the context says.
type stuck struct {
	queue.Engine
	inspector
	free chan struct{}
}

type inspector interface{ queue.Inspector }

func (s stuck) Enqueue(context.Context, ...queue.Job) ([]queue.Receipt, error) {
	<-s.free
	return nil, queue.ErrClosed
}
func (s stuck) Depths(context.Context, ...string) ([]queue.Depth, error) { <-s.free; return nil, nil }
func (s stuck) Ping(context.Context) error                               { <-s.free; return nil }

// An engine that hangs, and does not even look at its context, costs a request its time and no more; what may have
// been done is said to be unknown; and health is answered all the while.
func TestEngine_that_hangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := inMemory(t)
		s := stuck{e, e, make(chan struct{})}
		r := newRig(t, s, Config{MaxInFlight: 4, Timeout: 5 * time.Second})
		c := r.client("")
		took := func(what string, limit time.Duration, want error, do func() error) {
			t.Helper()
			began := time.Now()
			if err := do(); !errors.Is(err, want) {
				t.Errorf("%s: %v", what, err)
			}
			if d := time.Since(began); d > limit {
				t.Errorf("%s took %s", what, d)
			}
		}
		job := queue.Job{Queue: "q", Kind: "k", Key: "x"}
		took("a look", 6*time.Second, queue.ErrUnavailable, func() error { return third(c.Queue(t.Context(), "q")) })
		took("a change", 6*time.Second, queue.ErrUnknownOutcome, func() error { return third(c.Enqueue(t.Context(), job)) })
		took("a change", 6*time.Second, queue.ErrUnknownOutcome, func() error { return third(c.Enqueue(t.Context(), job)) })
		took("a change", 6*time.Second, queue.ErrUnknownOutcome, func() error { return third(c.Enqueue(t.Context(), job)) })
		// The engine still holds all four: the fifth is refused at once, and nothing was sent for it.
		took("one more", 0, queue.ErrUnavailable, func() error { return third(c.Enqueue(t.Context(), job)) })
		for range 20 {
			began := time.Now()
			h, err := c.Ready(t.Context())
			if err != nil || h.Status != "unwell" || h.Checks[1].Reason != "no_answer" || !h.Checks[0].Well || time.Since(began) > 3*time.Second {
				t.Fatal(h, err, time.Since(began))
			}
		}
		if h, err := c.Live(t.Context()); err != nil || h.Status != "ok" {
			t.Error(h, err)
		}
		close(s.free)
		synctest.Wait()
		if h, err := c.Ready(t.Context()); err != nil || h.Status != "ok" {
			t.Error(h, err)
		}
		took("the next", 0, nil, func() error { return third(c.JobsPage(t.Context(), queue.Query{})) })
	})
}

// An engine that is gone is answered 503, typed, with when to come again.
func TestEngine_that_is_gone(t *testing.T) {
	e := inMemory(t)
	r := newRig(t, e, Config{})
	_ = e.Close()
	for i := range table {
		rt := &table[i]
		if len(rt.needs) == 0 || rt.needs[0] == "verdicts" || rt.name == "runSchedule" {
			continue
		}
		body := strings.Replace(bodyOf(rt), `"why":"w"`, `"why":"w","who":"ada"`, 1)
		w := r.ask(rt.method, pathOf(rt), body)
		if w.Code != 503 || fault(t, w).Reason != "closed" || w.Header().Get("Retry-After") == "" {
			t.Errorf("%s: %d %s", rt.name, w.Code, w.Body)
		}
	}
	if w := r.ask("GET", "/readyz", ""); w.Code != 503 || !strings.Contains(w.Body.String(), `"closed"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := r.ask("GET", "/livez", ""); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// Ready is false while the claim loop makes no progress, and tells a stranger no more than that.
func TestHealth(t *testing.T) {
	var live, ready error
	r := newRig(t, inMemory(t), Config{Tokens: tokens(t), Live: func(context.Context) error { return live }, Ready: func(context.Context) error { return ready }})
	status := func(path string) int { return r.ask("GET", path, "").Code }
	if status("/livez") != 200 || status("/readyz") != 200 {
		t.Error("well")
	}
	ready = errors.New("no poll for 40s by worker-7 at 10.0.0.3")
	w := r.ask("GET", "/readyz", "")
	if w.Code != 503 || strings.Contains(w.Body.String(), "worker-7") || !strings.Contains(w.Body.String(), `"name":"work","well":false`) || status("/livez") != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if !strings.Contains(r.logs.String(), "worker-7") {
		t.Error("the log does not say why")
	}
	live = errors.New("half of the slots are deaf")
	if status("/livez") != 503 {
		t.Error("not live")
	}
	r.api.health["live"].checks[0].do = func(context.Context) error { panic("x") }
	if w := r.ask("GET", "/livez", ""); w.Code != 503 || !strings.Contains(w.Body.String(), "internal") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// panicking panics with what must not be told.
type panicking struct{ queue.Engine }

func (panicking) Enqueue(_ context.Context, jobs ...queue.Job) ([]queue.Receipt, error) {
	panic("payload " + string(jobs[0].Payload))
}

// A panic is a 500 without detail, and the server goes on.
func TestPanic(t *testing.T) {
	r := newRig(t, panicking{inMemory(t)}, Config{Tokens: tokens(t)})
	for range 3 {
		w := r.ask("POST", v1+"jobs", `{"kind":"k","key":"x","payload":"hunter2"}`, bearer(opToken)...)
		if w.Code != 500 || strings.Contains(w.Body.String(), "hunter2") || strings.Contains(w.Body.String(), "goroutine") || fault(t, w).Reason != "internal" {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	if log := r.logs.String(); !strings.Contains(log, "request panicked") || !strings.Contains(log, "down_test.go") || strings.Contains(log, "hunter2") {
		t.Error(log)
	}
	if len(r.api.inFlight) != 0 {
		t.Error("a place is lost")
	}
	broken := newRig(t, inMemory(t), Config{})
	broken.api.mux = nil // it panics outside of every route
	if w := broken.ask("GET", v1+"jobs", ""); w.Code != 500 || fault(t, w).Reason != "internal" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// A connection that is lost after a change was sent leaves its outcome unknown, and a repeat is safe; one that never
// was made, or a look, does not.
func TestClient_unknown_outcome(t *testing.T) {
	e := inMemory(t)
	r := newRig(t, e, Config{})
	var mode string
	var mu sync.Mutex
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		mu.Lock()
		how := mode
		mu.Unlock()
		switch how {
		case "cut":
			r.ServeHTTP(httptest.NewRecorder(), q)
			panic(http.ErrAbortHandler)
		case "half":
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte(`{"receipts":[`))
		case "proxy":
			w.WriteHeader(502)
			_, _ = w.Write([]byte("<html>bad gateway</html>"))
		case "login":
			http.Redirect(w, q, "https://login.example/", http.StatusFound)
		case "other":
			_, _ = w.Write([]byte("hello"))
		default:
			r.ServeHTTP(w, q)
		}
	}))
	defer web.Close()
	c, err := NewClient(web.URL, ClientConfig{})
	if err != nil {
		t.Fatal(err)
	}
	job := queue.Job{Queue: "q", Kind: "k", Key: "x"}
	set := func(m string) { mu.Lock(); mode = m; mu.Unlock() }
	for _, m := range []string{"cut", "half", "proxy", "other"} {
		set(m)
		if _, err := c.Enqueue(t.Context(), job); !errors.Is(err, queue.ErrUnknownOutcome) {
			t.Errorf("%s: a change: %v", m, err)
		}
		if _, err := c.Job(t.Context(), queue.NewID("k", "x")); !errors.Is(err, queue.ErrUnavailable) || errors.Is(err, queue.ErrUnknownOutcome) {
			t.Errorf("%s: a look: %v", m, err)
		}
	}
	set("login")
	if _, err := c.Enqueue(t.Context(), job); !errors.Is(err, queue.ErrInvalid) {
		t.Errorf("a redirect: %v", err)
	}
	set("")
	if got, err := c.Enqueue(t.Context(), job); err != nil || got[0].Status != queue.Duplicate {
		t.Errorf("the repeat: %+v %v", got, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Enqueue(ended, job); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
	none, _ := NewClient("http://127.0.0.1:1", ClientConfig{})
	if _, err := none.Enqueue(t.Context(), job); !errors.Is(err, queue.ErrUnavailable) || errors.Is(err, queue.ErrUnknownOutcome) {
		t.Errorf("nobody there: %v", err)
	}
}

func TestNewClient_refuses(t *testing.T) {
	for _, base := range []string{"", "127.0.0.1:7420", "ftp://x", "http://", "http://user:pass@x", "http://x?token=y", "http://x#y", "::"} {
		if _, err := NewClient(base, ClientConfig{}); !errors.Is(err, queue.ErrInvalid) || strings.Contains(err.Error(), "pass") {
			t.Errorf("%q: %v", base, err)
		}
	}
	if _, err := NewClient("http://x", ClientConfig{Token: "a\r\nb"}); !errors.Is(err, queue.ErrInvalid) {
		t.Error(err)
	}
}
