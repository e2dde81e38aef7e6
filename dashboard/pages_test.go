package dashboard

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twicehq/twice/diagnose"
	"github.com/twicehq/twice/httpapi"
	"github.com/twicehq/twice/queue"
)

// away is a server that can be gone.
type away struct {
	http.Handler
	mu   sync.Mutex
	gone bool
}

func (a *away) set(gone bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.gone = gone
}

func (a *away) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	gone := a.gone
	a.mu.Unlock()
	if gone {
		panic(http.ErrAbortHandler)
	}
	a.Handler.ServeHTTP(w, r)
}

// ask makes one request; headers are pairs.
func (w *world) ask(method, path, form string, headers ...string) *httptest.ResponseRecorder {
	w.t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(form))
	r.Host = "localhost"
	if form != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	a := httptest.NewRecorder()
	w.handler.ServeHTTP(a, r)
	return a
}

func as(token string) []string {
	r := httptest.NewRecorder()
	(&Dashboard{}).remember(r, httptest.NewRequest("GET", "/", nil), tokenCookie, token, 0)
	c := r.Result().Cookies()[0]
	return []string{"Cookie", c.Name + "=" + c.Value}
}

func TestSession(t *testing.T) {
	w := newWorld(t, true, Config{Path: "/board"})
	a := w.ask("POST", "/board/sign-in", url.Values{"token": {opToken}, "next": {"/board/jobs?state=dead"}}.Encode(), "X-Forwarded-Proto", "https")
	cookies := a.Result().Cookies()
	if a.Code != http.StatusSeeOther || a.Header().Get("Location") != "/board/jobs?state=dead" || len(cookies) != 1 {
		t.Fatal(a.Code, a.Header())
	}
	if c := cookies[0]; !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteStrictMode || c.Path != "/board/" || strings.Contains(c.Value, opToken) {
		t.Errorf("the cookie is %+v", c)
	}
	for _, next := range []string{"//evil.example/", "https://evil.example/", "/\\evil.example", "/elsewhere", "javascript:alert(1)", "/board/\r\nX: y"} {
		if a := w.ask("POST", "/board/sign-in", url.Values{"token": {opToken}, "next": {next}}.Encode()); a.Header().Get("Location") != "/board/" {
			t.Errorf("%q leads to %q", next, a.Header().Get("Location"))
		}
	}
	for _, token := range []string{"", "x", opToken + "x", strings.Repeat("x", 5000), "nul\x00", "ÿ"} {
		if a := w.ask("POST", "/board/sign-in", url.Values{"token": {token}}.Encode()); a.Code != http.StatusUnauthorized || len(a.Result().Cookies()) > 0 || token != "" && len(token) > 4 && strings.Contains(a.Body.String(), token) {
			t.Errorf("the token %.10q: %d", token, a.Code)
		}
	}
	if a := w.ask("GET", "/board/jobs?state=dead", "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"); a.Code != 200 || !strings.Contains(a.Body.String(), `http-equiv="refresh"`) {
		t.Error("who follows a link from elsewhere is not sent on: ", a.Code)
	}
	if a := w.ask("GET", "/board/jobs", "", "HX-Request", "true"); a.Code != 401 || a.Header().Get("HX-Refresh") != "true" {
		t.Error("a page whose session ended is not brought to the sign-in: ", a.Code)
	}
	if a := w.ask("GET", "/board/", "", as("garbage \x00 token ÿ")...); a.Code != http.StatusSeeOther {
		t.Error("a broken cookie: ", a.Code)
	}
}

func TestForeign(t *testing.T) {
	w := newWorld(t, false, Config{})
	w.hand("orders", "orders.place", "o-1", "{}")
	for name, c := range map[string]struct {
		method, path string
		headers      []string
		code         int
	}{
		"a form of another site":  {"POST", "/queues/orders/pause", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		"an old browser's":        {"POST", "/queues/orders/pause", []string{"Origin", "http://evil.example"}, 403},
		"an image of another":     {"GET", "/audit/books", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"}, 403},
		"a link of another":       {"GET", "/jobs", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}, 200},
		"a name pointed here":     {"GET", "/", []string{"Host", "evil.example"}, 421},
		"a sign-out by another":   {"POST", "/sign-out", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		"a page that is not":      {"GET", "/nowhere/at/all", nil, 404},
		"a method that is not":    {"DELETE", "/jobs", nil, 405},
		"a form that is too long": {"POST", "/queues/orders/pause", nil, 400},
		"a folder of assets":      {"GET", "/assets/", nil, 404},
	} {
		form := ""
		if c.method == "POST" {
			form = "who=me&why=" + strings.Repeat("x", 200_000)
		}
		a := w.ask(c.method, c.path, form, c.headers...)
		if a.Code != c.code {
			t.Errorf("%s: %d, want %d", name, a.Code, c.code)
		}
		if csp := a.Header().Get("Content-Security-Policy"); csp != policy {
			t.Errorf("%s: the policy is %q", name, csp)
		}
	}
	if d, _ := w.engine.Depths(w.ctx, "orders"); d[0].Paused {
		t.Error("somebody paused it")
	}
}

// TestRefusedChange: what the API says is wrong is told beside the form, with what was typed.
func TestRefusedChange(t *testing.T) {
	w := newWorld(t, false, Config{})
	s := w.play()
	for _, c := range []struct{ path, form, says string }{
		{"/queues/orders/pause", "who=&why=because", "missing"},
		{"/queues/orders/pause", "who=me&why=", "missing"},
		{"/queues/orders/pause", "who=me%00&why=because", "is no name"},
		{"/jobs/" + s.dead.String() + "/cancel", "who=me&why=because", "state"},
		{"/jobs/" + s.doubt.String() + "/redrive", "who=me&why=because", "doubt"},
		{"/jobs/" + s.doubt.String() + "/resolve", "who=me&why=because&step=charge", "does not say whether"},
		{"/jobs/" + s.doubt.String() + "/resolve", "who=me&why=because&step=charge&happened=yes&result=%7B", "no JSON"},
		{"/jobs/nonsense/cancel", "who=me&why=because", "no job"},
		{"/dead/redrive?queue=mails", "who=me&why=because&rate=fast&limit=1", "no number"},
		{"/dead/redrive?queue=mails", "who=me&why=because&rate=99999999&limit=1", "1 to 10000"},
		{"/dead/redrive?queue=%3Cb%3E", "who=me&why=because&rate=1&limit=1", "begin with a letter or digit"},
		{"/schedules/nightly-report/run", "who=me&why=because&at=now&args=%7B%7D", "which run"},
		{"/schedules/nowhere/run", "who=me&why=because&at=2026-01-01T00:00:00Z&args=%7B%7D", "schedule"},
		{"/operations/nonsense/stop", "who=me&why=because", "operation"},
	} {
		a := w.ask("POST", c.path, c.form)
		body := a.Body.String()
		if a.Code < 400 || !strings.Contains(body, c.says) || !strings.Contains(body, "What to do") {
			t.Errorf("%s %s: %d without %q:\n%s", c.path, c.form, a.Code, c.says, main(body))
		}
	}
}

// main is the main part of a page.
func main(body string) string {
	_, rest, _ := strings.Cut(body, "<main")
	rest, _, _ = strings.Cut(rest, "</main>")
	return rest
}

// bare is an engine with none of the abilities.
type bare struct{ queue.Engine }

func TestLacking(t *testing.T) {
	w := newWorld(t, false, Config{})
	api, err := httpapi.New(bare{w.engine}, httpapi.Config{})
	w.must(err)
	w.handler, err = New(api, Config{Every: -1})
	w.must(err)
	for path, says := range map[string]string{"/": "cannot", "/jobs": "cannot do that", "/dead": "cannot", "/schedules": "keeps no schedules", "/workers": "cannot tell which workers", "/audit": "keeps no trail",
		"/audit/books": "cannot count", "/engine": "No queue can be paused here", "/queues/orders": "cannot do that"} {
		a := w.ask("GET", path, "")
		if !strings.Contains(main(a.Body.String()), says) || strings.Contains(a.Body.String(), "…</a>") {
			t.Errorf("%s: %d, %s", path, a.Code, main(a.Body.String()))
		}
	}
}

// TestManyQueues: the overview shows those first that need somebody, and holds no more than its bound.
func TestManyQueues(t *testing.T) {
	n := 1500
	if *full {
		n = 1_000_000
	}
	w := newWorld(t, false, Config{})
	for i := range n {
		d := queue.Depth{Queue: fmt.Sprintf("tenant-%07d", i), Accepted: 1, AsOf: w.clock.now()}
		w.gate.more = append(w.gate.more, d)
	}
	w.found = []diagnose.Finding{{Queue: "zz-sick", Verdict: diagnose.NoConsumer, Says: "12 jobs are due and nobody takes them.", Evidence: []diagnose.Evidence{}}}
	w.hand("zz-sick", "a.kind", "1", "{}")
	w.ask("GET", "/", "")
	before := heap()
	a := w.ask("GET", "/", "")
	body := main(a.Body.String())
	if a.Code != 200 || !strings.Contains(body, "1 of 1,001 queues needs somebody") || strings.Index(body, "zz-sick") > strings.Index(body, "tenant-") || !strings.Contains(body, "more queues than are read") {
		t.Fatal(a.Code, body)
	}
	for page := range 30 {
		w.ask("GET", fmt.Sprintf("/?page=%d", page*7-20), "")
	}
	if grown := heap() - before; grown > 8<<20 {
		t.Errorf("30 pages of many queues left %d bytes", grown)
	}
	if kept := len(w.board.history.queues); kept > keptQueues {
		t.Errorf("the history keeps %d queues", kept)
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestSampler takes numbers by itself until it is closed, and stops asking an API that does not let it in.
func TestSampler(t *testing.T) {
	for name, c := range map[string]struct {
		tokens bool
		token  string
		takes  bool
	}{"no tokens": {false, "", true}, "a viewer's": {true, viewToken, true}, "none of its own": {true, "", false}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.tokens, Config{})
			w.hand("orders", "orders.place", "o-1", "{}")
			board, err := New(w.api, Config{Every: time.Millisecond, Token: c.token, Now: func() time.Time { w.clock.pass(3 * time.Second); return w.clock.now() }})
			w.must(err)
			deadline := time.Now().Add(10 * time.Second)
			for c.takes && len(board.history.of("orders")) < 5 {
				if time.Now().After(deadline) {
					t.Fatal("it takes nothing")
				}
				runtime.Gosched()
			}
			w.must(board.Close())
			w.must(board.Close())
			if !c.takes && len(board.history.queues) > 0 {
				t.Error("it was let in")
			}
		})
	}
}

// TestNew names everything that is wrong at once.
func TestNew(t *testing.T) {
	_, err := New(nil, Config{Path: "board{", Runbooks: "javascript:x"})
	if err == nil || !strings.Contains(err.Error(), "no API") || !strings.Contains(err.Error(), "Path") || !strings.Contains(err.Error(), "Runbooks") {
		t.Fatal(err)
	}
}

// TestPanics: an API that panics, or answers what nobody can read, is told as trouble.
func TestPanics(t *testing.T) {
	for name, api := range map[string]http.HandlerFunc{
		"panic":   func(http.ResponseWriter, *http.Request) { panic("no") },
		"garbage": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
		"teapot":  func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "teapot", http.StatusTeapot) },
		"gateway": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "gateway", http.StatusBadGateway) },
		"empty":   func(http.ResponseWriter, *http.Request) {},
	} {
		w := &world{t: t}
		board, err := New(api, Config{Every: -1})
		w.must(err)
		w.handler = board
		if a := w.ask("GET", "/", ""); a.Code < 500 || !strings.Contains(a.Body.String(), "What to do") || strings.Contains(a.Body.String(), "goroutine") {
			t.Errorf("%s: %d %s", name, a.Code, main(a.Body.String()))
		}
	}
}
