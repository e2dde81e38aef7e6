package orders_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twicehq/twice/driver/sqlite"
	"github.com/twicehq/twice/examples/orders"
	"github.com/twicehq/twice/examples/orders/api"
	"github.com/twicehq/twice/examples/orders/gateway"
	"github.com/twicehq/twice/examples/orders/mailsink"
	"github.com/twicehq/twice/examples/orders/service"
	"github.com/twicehq/twice/queue"
)

// world is the application on a file of its own, with the systems outside.
type world struct {
	*testing.T
	engine  *sqlite.Engine
	clock   *clock // the engine's
	app     *orders.App
	api     http.Handler
	log     *lines
	logger  *slog.Logger
	gateway *gateway.Server
	sink    *mailsink.Server
}

func newWorld(t *testing.T, change ...func(*orders.Config)) *world {
	t.Helper()
	w := &world{T: t, clock: &clock{}, log: &lines{}}
	w.logger = slog.New(slog.NewJSONHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	var err error
	if w.gateway, err = gateway.New(gateway.Config{}); err != nil {
		t.Fatal(err)
	}
	pay := httptest.NewServer(w.gateway)
	t.Cleanup(pay.Close)
	t.Cleanup(func() { _ = w.gateway.Close() })
	if w.sink, err = mailsink.New(mailsink.Config{}); err != nil {
		t.Fatal(err)
	}
	smtp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = w.sink.ServeSMTP(smtp) }()
	t.Cleanup(func() { _ = w.sink.Close() })

	w.engine, err = sqlite.Open(filepath.Join(t.TempDir(), "orders.db"), sqlite.Config{Now: w.clock.now, Logger: w.logger})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.engine.Close() })
	base, err := orders.On(w.engine)
	if err != nil {
		t.Fatal(err)
	}
	cfg := orders.Config{Gateway: pay.URL, Mail: smtp.Addr().String(), Logger: w.logger, Settling: -1}
	cfg.Jobs.BackoffBase, cfg.Jobs.BackoffLimit = time.Millisecond, 4*time.Millisecond
	for _, f := range change {
		f(&cfg)
	}
	if w.app, err = orders.New(t.Context(), base, cfg); err != nil {
		t.Fatal(err)
	}
	w.api = w.app.Handler(func(context.Context) error { return nil })
	return w
}

// place places an order of 12.34 EUR by the API.
func (w *world) place(reference string) api.Order {
	w.Helper()
	status, body := w.post(order(reference))
	if status != http.StatusCreated && status != http.StatusOK {
		w.Fatalf("POST /orders %s: %d %s", reference, status, body)
	}
	var o api.Order
	if err := json.Unmarshal(body, &o); err != nil {
		w.Fatal(err)
	}
	return o
}

func order(reference string) map[string]any {
	return map[string]any{"reference": reference, "customer": reference + "@customer.test", "amount_cents": 1234, "currency": "EUR"}
}

// post sends a body, given as text or as a value, with headers in pairs.
func (w *world) post(body any, headers ...string) (int, []byte) {
	w.Helper()
	text, ok := body.(string)
	if !ok {
		raw, err := json.Marshal(body)
		if err != nil {
			w.Fatal(err)
		}
		text = string(raw)
	}
	answer := w.send(http.MethodPost, "/orders", strings.NewReader(text), headers...)
	return answer.Code, answer.Body.Bytes()
}

func (w *world) send(method, path string, body io.Reader, headers ...string) *httptest.ResponseRecorder {
	w.Helper()
	r := httptest.NewRequestWithContext(w.Context(), method, path, body)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer := httptest.NewRecorder()
	w.api.ServeHTTP(answer, r)
	return answer
}

// state gives the state of an order as the API shows it.
func (w *world) state(id string) string {
	w.Helper()
	answer := w.send(http.MethodGet, "/orders/"+id, nil)
	var o api.Order
	if err := json.Unmarshal(answer.Body.Bytes(), &o); err != nil || answer.Code != http.StatusOK {
		w.Fatalf("GET /orders/%s: %d %s", id, answer.Code, answer.Body)
	}
	return o.State
}

// record looks a job of an order up.
func (w *world) record(id queue.ID) queue.Record {
	w.Helper()
	r, err := w.engine.Job(w.Context(), id)
	if err != nil {
		w.Fatal(err)
	}
	return r
}

// until waits for another goroutine; it fails after a long time.
func (w *world) until(holds func() bool) {
	w.Helper()
	for deadline := time.Now().Add(20 * time.Second); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			w.Fatal("what was waited for did not happen")
		}
	}
}

func (w *world) told(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// clock is the host's clock as the engine sees it: it can be moved forward.
type clock struct {
	mu    sync.Mutex
	ahead time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead)
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += d
}

// lines is a log, as JSON.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

// all gives the lines, decoded; it fails on one that is not JSON.
func (l *lines) all(t *testing.T) []map[string]any {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []map[string]any
	for line := range strings.Lines(l.buf.String()) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("a line of the log is not JSON: %s", line)
		}
		all = append(all, m)
	}
	return all
}

// frozen is a database that stops attempts just before their last transaction: those whose context
// carries a gate.
type frozen struct{ service.Database }

type gateKey struct{}

// gate stops one attempt.
type gate struct{ reached, open chan struct{} }

func newGate() *gate { return &gate{make(chan struct{}), make(chan struct{})} }

func (g *gate) pass() {
	close(g.reached)
	<-g.open
}

func (f frozen) Finish(ctx context.Context, do func(context.Context, service.Tx) error) error {
	f.wait(ctx)
	return f.Database.Finish(ctx, do)
}

func (f frozen) Change(ctx context.Context, do func(context.Context, service.Tx) error) error {
	f.wait(ctx)
	return f.Database.Change(ctx, do)
}

func (f frozen) wait(ctx context.Context) {
	if g, ok := ctx.Value(gateKey{}).(*gate); ok {
		g.pass()
	}
}

// get reads the observer's side of the mail sink.
func get(t *testing.T, sink http.Handler, path string) (page mailsink.Page) {
	t.Helper()
	answer := httptest.NewRecorder()
	sink.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
	if err := json.Unmarshal(answer.Body.Bytes(), &page); err != nil || answer.Code != http.StatusOK {
		t.Fatalf("GET %s: %d %s", path, answer.Code, answer.Body)
	}
	return page
}
