package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twicehq/twice/driver/memory"
	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/ledger"
	"github.com/twicehq/twice/queue"
)

const (
	opToken   = "operator-token-0123456789"
	viewToken = "viewer-token-0123456789"
)

// tokens are alice's, an operator, and bob's, a viewer.
func tokens(t testing.TB) Tokens {
	t.Helper()
	all, err := ParseTokens("operator:alice=" + opToken + ",viewer:bob=" + viewToken)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// rig is an API over an engine, every answer of which is held to the description.
type rig struct {
	t      testing.TB
	engine queue.Engine
	api    *Server
	http.Handler
	logs *logged
}

// logged is what was logged.
type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newRig(t testing.TB, engine queue.Engine, cfg Config) *rig {
	t.Helper()
	logs := &logged{}
	cfg.Logger = slog.New(slog.NewJSONHandler(logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	api, err := New(engine, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := api.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return &rig{t, engine, api, held(t, api), logs}
}

func inMemory(t testing.TB) *memory.Engine {
	t.Helper()
	e, err := memory.New(memory.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// onEngines runs a test on each engine, with a client that is an operator.
func onEngines(t *testing.T, do func(t *testing.T, r *rig, c *Client)) {
	t.Run("memory", func(t *testing.T) {
		r := newRig(t, inMemory(t), Config{Tokens: tokens(t)})
		do(t, r, r.client(opToken))
	})
	t.Run("sqlite", func(t *testing.T) {
		e, err := sqlite.Open(filepath.Join(t.TempDir(), "jobs.db"), sqlite.Config{Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = e.Close() })
		r := newRig(t, e, Config{Tokens: tokens(t), Ledger: e.Ledger()})
		do(t, r, r.client(opToken))
	})
}

// client reaches the API without a network.
func (r *rig) client(token string) *Client {
	r.t.Helper()
	c, err := NewClient("http://localhost", ClientConfig{Token: token, HTTP: &http.Client{Transport: inProcess{r.Handler}}})
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

// inProcess carries requests to a handler.
type inProcess struct{ h http.Handler }

func (p inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	p.h.ServeHTTP(w, r)
	return w.Result(), nil
}

// ask makes a request; headers are pairs. A body is sent as JSON.
func (r *rig) ask(method, path, body string, headers ...string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r.ServeHTTP(w, request(method, path, body, headers...))
	return w
}

func request(method, path, body string, headers ...string) *http.Request {
	q := httptest.NewRequest(method, path, strings.NewReader(body))
	q.Host = "localhost"
	if body != "" {
		q.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			q.Host = headers[i+1]
			continue
		}
		q.Header.Set(headers[i], headers[i+1])
	}
	return q
}

func bearer(token string) []string { return []string{"Authorization", "Bearer " + token} }

// fault reads the error of an answer.
func fault(t testing.TB, w *httptest.ResponseRecorder) Fault {
	t.Helper()
	var f Failure
	if err := json.Unmarshal(w.Body.Bytes(), &f); err != nil || f.Error.Reason == "" {
		t.Fatalf("%d %s: no error", w.Code, w.Body)
	}
	return f.Error
}

func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// handIn stores jobs of one kind.
func handIn(t testing.TB, e queue.Engine, kind string, keys ...string) []queue.ID {
	t.Helper()
	jobs := make([]queue.Job, len(keys))
	for i, k := range keys {
		jobs[i] = queue.Job{Queue: "default", Kind: kind, Key: k, Payload: []byte(`{"key":"` + k + `"}`)}
	}
	var ids []queue.ID
	for _, r := range must[[]queue.Receipt](t)(e.Enqueue(context.Background(), jobs...)) {
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		ids = append(ids, r.ID)
	}
	return ids
}

// bury claims every job of a kind that is due, and ends it dead with what text gives.
func bury(t testing.TB, e queue.Engine, kind string, reason queue.Reason, text func(queue.Lease) string) int {
	t.Helper()
	ctx := context.Background()
	n := 0
	for {
		leases := must[[]queue.Lease](t)(e.Claim(ctx, queue.Claim{ID: queue.NewClaimID(), Worker: "w", Queues: []string{"default"}, Kinds: []string{kind}, Max: 500, TTL: time.Minute}))
		if len(leases) == 0 {
			return n
		}
		ends := make([]queue.Settlement, len(leases))
		for i, l := range leases {
			ends[i] = queue.Settlement{Lease: l, State: queue.Dead, Outcome: queue.OutcomeBuried, Reason: reason, Error: text(l)}
		}
		if err := errors.Join(must[[]error](t)(e.Settle(ctx, ends...))...); err != nil {
			t.Fatal(err)
		}
		n += len(leases)
	}
}

// doubtful buries jobs in doubt about a step that is in the ledger.
func doubtful(t testing.TB, e queue.Engine, store ledger.Store, kind, step string) int {
	return bury(t, e, kind, queue.ReasonDoubt, func(l queue.Lease) string {
		try := ledger.Try{ID: ledger.TryID{1}, Lease: l, Step: step}
		if _, err := store.Intend(context.Background(), try); err != nil {
			t.Fatal(err)
		}
		if err := store.Doubt(context.Background(), try); err != nil {
			t.Fatal(err)
		}
		return "nobody can tell"
	})
}

var because = Why{Why: "a test"}
