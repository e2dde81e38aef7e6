package httpapi

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/twicehq/twice/queue"
)

const attack = `{"kind":"evil","key":"x","args":{},"queue":"default"}`

// A page of another site, and a name that was pointed at this machine, change nothing and learn nothing.
func TestGuard_refuses_other_sites(t *testing.T) {
	for name, headers := range map[string][]string{
		"cross-site fetch":             {"Sec-Fetch-Site", "cross-site"},
		"same site, other origin":      {"Sec-Fetch-Site", "same-site"},
		"an old browser":               {"Origin", "https://evil.example"},
		"an origin that is null":       {"Origin", "null"},
		"another port of this machine": {"Origin", "http://localhost:9"},
		"a name that was rebound":      {"Host", "evil.example", "Origin", "http://evil.example", "Sec-Fetch-Site", "same-origin"},
		"a rebound name with port":     {"Host", "evil.example:7420"},
		"an address of the network":    {"Host", "192.168.1.10"},
		"a name that looks local":      {"Host", "localhost.evil.example"},
		"an address that looks local":  {"Host", "127.0.0.1.evil.example"},
		"no host":                      {"Host", ""},
	} {
		e := inMemory(t)
		r := newRig(t, e, Config{})
		w := r.ask("POST", v1+"jobs", attack, headers...)
		if w.Code != 403 && w.Code != 421 || fault(t, w).Reason != "forbidden" {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
		if d, _ := e.Depths(t.Context()); len(d) != 0 {
			t.Errorf("%s: it changed %v", name, d)
		}
		if w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: it may be read", name)
		}
	}
	r := newRig(t, inMemory(t), Config{})
	if w := r.ask("GET", v1+"audit", "", "Sec-Fetch-Site", "cross-site"); w.Code != 403 {
		t.Errorf("a cross-site read that costs: %d", w.Code)
	}
	// A form needs no leave of the browser: its content types are refused as well.
	for _, kind := range []string{"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json-seq", "application/json; charset=latin1", "nonsense/"} {
		if w := r.ask("POST", v1+"jobs", attack, "Content-Type", kind); w.Code != 415 {
			t.Errorf("%q: %d", kind, w.Code)
		}
	}
	for _, headers := range [][]string{{}, {"Sec-Fetch-Site", "same-origin"}, {"Sec-Fetch-Site", "none"}, {"Origin", "http://localhost"}, {"Host", "127.0.0.1:7420"}, {"Host", "[::1]:7420"}, {"Host", "LOCALHOST."},
		{"Content-Type", "application/json; charset=UTF-8"}} {
		if w := r.ask("POST", v1+"jobs", attack, headers...); w.Code > 201 {
			t.Errorf("%v: %d %s", headers, w.Code, w.Body)
		}
	}
}

// The control: without each guard, its attack goes through.
func TestGuard_control(t *testing.T) {
	r := newRig(t, inMemory(t), Config{})
	intact := r.api.guard
	try := func(headers ...string) int { return r.ask("POST", v1+"jobs", attack, headers...).Code }
	cross := []string{"Origin", "https://evil.example"}
	rebound := []string{"Host", "evil.example", "Origin", "http://evil.example"}
	if try(cross...) != 403 || try(rebound...) != 421 {
		t.Fatal("an attack is not refused")
	}
	r.api.guard.origin = http.NewCrossOriginProtection()
	r.api.guard.origin.AddInsecureBypassPattern("/")
	if got := try(cross...); got != 201 {
		t.Errorf("without the origin's guard: %d", got)
	}
	r.api.guard = intact
	r.api.guard.open = true
	if got := try(rebound...); got != 200 {
		t.Errorf("without the host's guard: %d", got)
	}
}

// Names that are configured are served, and no others, tokens or not.
func TestGuard_hosts(t *testing.T) {
	r := newRig(t, inMemory(t), Config{Tokens: tokens(t), Hosts: []string{"twice.internal"}})
	for host, status := range map[string]int{"twice.internal": 200, "TWICE.internal:443": 200, "localhost": 421, "evil.example": 421} {
		if w := r.ask("GET", v1+"abilities", "", append(bearer(opToken), "Host", host)...); w.Code != status {
			t.Errorf("%s: %d", host, w.Code)
		}
	}
	open := newRig(t, inMemory(t), Config{Tokens: tokens(t)})
	if w := open.ask("GET", v1+"abilities", "", append(bearer(opToken), "Host", "anything.example")...); w.Code != 200 {
		t.Errorf("%d", w.Code)
	}
}

// Without tokens a connection that is not of this machine is refused, however the handler was mounted.
func TestGuard_connection(t *testing.T) {
	for addr, want := range map[string]int{"127.0.0.1": 200, "::1": 200, "10.0.0.5": 403, "0.0.0.0": 403} {
		for _, known := range []Tokens{{}, tokens(t)} {
			r := newRig(t, inMemory(t), Config{Tokens: known})
			q := request("GET", v1+"abilities", "", bearer(opToken)...)
			q = q.WithContext(context.WithValue(q.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: net.ParseIP(addr), Port: 1}))
			w := httptest.NewRecorder()
			if r.ServeHTTP(w, q); w.Code != want && !known.Any() || known.Any() && w.Code != 200 {
				t.Errorf("%s, %s: %d", addr, known, w.Code)
			}
		}
	}
}

func TestListen(t *testing.T) {
	for _, addr := range []string{"127.0.0.1:0", "localhost:0", "[::1]:0"} {
		l, err := Listen(addr, Tokens{})
		if err != nil {
			if addr == "[::1]:0" && errors.Is(err, queue.ErrUnavailable) {
				continue // a machine without IPv6
			}
			t.Fatalf("%s: %v", addr, err)
		}
		if !l.Addr().(*net.TCPAddr).IP.IsLoopback() {
			t.Errorf("%s: %s", addr, l.Addr())
		}
		_ = l.Close()
	}
	for _, addr := range []string{":0", "0.0.0.0:0", "[::]:0", "192.0.2.1:80"} {
		if l, err := Listen(addr, Tokens{}); !errors.Is(err, ErrExposed) || !errors.Is(err, queue.ErrInvalid) || l != nil {
			t.Errorf("%s: %v", addr, err)
		}
	}
	l, err := Listen("0.0.0.0:0", tokens(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if _, err := Listen(l.Addr().String(), tokens(t)); !errors.Is(err, queue.ErrUnavailable) {
		t.Errorf("taken: %v", err)
	}
	for _, addr := range []string{"nonsense", "127.0.0.1", "127.0.0.1:99999", "http://127.0.0.1:80"} {
		if _, err := Listen(addr, tokens(t)); !errors.Is(err, queue.ErrInvalid) || errors.Is(err, ErrExposed) {
			t.Errorf("%s: %v", addr, err)
		}
	}
}

// Serve answers through a real connection until its context ends.
func TestServe(t *testing.T) {
	r := newRig(t, inMemory(t), Config{})
	l, err := Listen("127.0.0.1:0", Tokens{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.api.Serve(ctx, l) }()
	c, err := NewClient("http://"+l.Addr().String(), ClientConfig{})
	if err != nil {
		t.Fatal(err)
	}
	if h, err := c.Ready(t.Context()); err != nil || h.Status != "ok" {
		t.Error(h, err)
	}
	end()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	fresh, _ := NewClient("http://"+l.Addr().String(), ClientConfig{HTTP: &http.Client{Transport: &http.Transport{}}})
	if _, err := fresh.Enqueue(t.Context(), queue.Job{Queue: "q", Kind: "k", Key: "x"}); !errors.Is(err, queue.ErrUnavailable) || errors.Is(err, queue.ErrUnknownOutcome) {
		t.Errorf("after the end: %v", err)
	}
}
