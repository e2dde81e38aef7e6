package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var nasty = []string{"", "0", "-1", "1e9", "99999999999999999999", "\x00", "\xff\xfe", "<script>alert(1)</script>", "../../etc/passwd", "' OR 1=1 --", "%00", "null", "true", "{}", "[]",
	"\r\nSet-Cookie: x=y", strings.Repeat("a", 65), strings.Repeat("é", 3000), "default", "k", "dead", "queued", "in_doubt", "100", "1000", "1001", "9223372036854775807", "463954d63a2ce1cdd44349ee05313460"}

var names = []string{"queue", "kind", "state", "reason", "limit", "cursor", "scan", "key", "id", "why", "who", "ids", "filter", "dry_run", "per_second", "stop_after_same", "operation", "jobs", "args", "payload",
	"payload_base64", "key_base64", "priority", "run_at", "origin", "deadline", "timeout_seconds", "headers", "parent", "fingerprint", "step", "happened", "result", "at", "new", "all", "signature", "Why", "", "\x00", "constructor"}

// hostileJSON makes JSON of names and values that mean something here, and much that does not.
func hostileJSON(t *rapid.T, depth int) any {
	switch rapid.IntRange(0, 9).Draw(t, "sort") {
	case 0:
		return rapid.Float64().Draw(t, "number")
	case 1:
		return rapid.Bool().Draw(t, "bool")
	case 2:
		return nil
	case 3, 4:
		if depth == 0 {
			return ""
		}
		list := []any{}
		for range rapid.IntRange(0, 4).Draw(t, "items") {
			list = append(list, hostileJSON(t, depth-1))
		}
		return list
	case 5, 6, 7:
		if depth == 0 {
			return 7
		}
		o := object{}
		for range rapid.IntRange(0, 5).Draw(t, "fields") {
			o[rapid.SampledFrom(names).Draw(t, "name")] = hostileJSON(t, depth-1)
		}
		return o
	}
	return rapid.SampledFrom(nasty).Draw(t, "text")
}

// Whatever is asked, in query, path, body and headers: no panic, no 5xx but those that say what is not there, and
// every answer as described.
func TestHostile_requests(t *testing.T) {
	e := inMemory(t)
	r := newRig(t, e, Config{MaxOperations: 100})
	handIn(t, e, "k", "x", "y")
	rapid.Check(t, func(t *rapid.T) {
		rt := rapid.SampledFrom(table).Draw(t, "route")
		path := wild.ReplaceAllStringFunc(rt.path, func(string) string { return url.PathEscape(rapid.SampledFrom(nasty).Draw(t, "segment")) })
		if rapid.Bool().Draw(t, "plain path") {
			path = strings.SplitN(pathOf(&rt), "?", 2)[0]
		}
		query := url.Values{}
		for range rapid.IntRange(0, 3).Draw(t, "parameters") {
			query.Add(rapid.SampledFrom(names).Draw(t, "parameter"), rapid.SampledFrom(nasty).Draw(t, "value"))
		}
		raw := query.Encode()
		if rapid.IntRange(0, 9).Draw(t, "raw query") == 0 {
			raw = rapid.SampledFrom([]string{"%zz", "a;b", "&&&", "=", "limit", "limit=1;limit=2", strings.Repeat("x", 9000), "%00=%ff"}).Draw(t, "query")
		}
		body := bytes.NewBufferString(rapid.SampledFrom(append(nasty, "{", `{"why":`, strings.Repeat("[", 20_000), strings.Repeat(`{"why":`, 20_000))).Draw(t, "body text"))
		if rapid.IntRange(0, 3).Draw(t, "JSON") > 0 {
			b, _ := json.Marshal(hostileJSON(t, 3))
			body = bytes.NewBuffer(b)
		}
		if rapid.IntRange(0, 3).Draw(t, "nearly right") == 0 {
			body = bytes.NewBufferString(strings.Replace(bodyOf(&rt), `"w"`, `"w","who":"ada"`, 1))
		}
		q, err := http.NewRequest(rt.method, "http://localhost"+path, body)
		if err != nil {
			t.Skip("no request")
		}
		q.URL.RawQuery = raw
		q.Header.Set("Content-Type", "application/json")
		q.Header.Set("X-Request-Id", rapid.SampledFrom(nasty).Draw(t, "request id"))
		q.Header.Set("Traceparent", rapid.SampledFrom(nasty).Draw(t, "traceparent"))
		w := httptest.NewRecorder()
		r.ServeHTTP(w, q)
		if w.Code >= 500 && w.Code != 501 && !(w.Code == 503 && fault(r.t, w).Reason == "unavailable") {
			t.Fatalf("%s %s?%s: %d %s", rt.method, path, raw, w.Code, w.Body)
		}
		if strings.ContainsAny(w.Header().Get("X-Request-Id"), "\r\n<\x00") {
			t.Fatalf("%q", w.Header())
		}
		if strings.Contains(w.Body.String(), "<script>") {
			t.Fatalf("it is not escaped: %s", w.Body)
		}
	})
}

// A body is read as far as the limit and no further, however it is sent.
func TestHostile_body_is_bounded(t *testing.T) {
	r := newRig(t, inMemory(t), Config{MaxBody: 1000})
	endless := &counting{}
	q := httptest.NewRequest("POST", v1+"jobs", endless)
	q.Host, q.ContentLength = "localhost", -1
	q.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	r.ServeHTTP(w, q)
	if w.Code != 413 || endless.n > 64<<10 {
		t.Errorf("%d after %d bytes", w.Code, endless.n)
	}
	for _, rt := range table { // a body where none is taken is not read at all
		if rt.changes() {
			continue
		}
		endless := &counting{}
		q := httptest.NewRequest(rt.method, pathOf(&rt), endless)
		q.Host = "localhost"
		r.ServeHTTP(httptest.NewRecorder(), q)
		if endless.n > 0 {
			t.Errorf("%s read %d bytes", rt.name, endless.n)
		}
	}
}

type counting struct{ n int }

func (c *counting) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	c.n += len(p)
	return len(p), nil
}

// Unknown parameters are named, all of them, and so is a parameter that is given twice.
func TestHostile_parameters_are_named(t *testing.T) {
	r := newRig(t, inMemory(t), Config{})
	w := r.ask("GET", v1+"jobs?stat=dead&limit=0&limit=5&Queue=x&queue=a%20b&cursor=", "")
	for _, says := range []string{"stat", "Queue", "limit", "2 times", "a b", "cursor", "queue, kind, state, reason, limit, cursor"} {
		if w.Code != 400 || !strings.Contains(w.Body.String(), says) {
			t.Errorf("%s is not said: %d %s", says, w.Code, w.Body)
		}
	}
	if w := r.ask("GET", v1+"workers?x=1", ""); w.Code != 400 {
		t.Error(w.Code)
	}
	if w := r.ask("GET", "/livez?x=1", ""); w.Code != 400 {
		t.Error(w.Code)
	}
	if w := r.ask("GET", v1+"jobs?"+strings.Repeat("x", 9000), ""); w.Code != 414 {
		t.Error(w.Code)
	}
}

// No log holds a payload, a token, a reason or a query, whatever goes wrong.
func TestLogs_hold_no_payload_and_no_token(t *testing.T) {
	e := inMemory(t)
	r := newRig(t, e, Config{Tokens: tokens(t)})
	secret := "hunter2hunter2"
	for i := range table {
		rt := &table[i]
		for _, token := range []string{opToken, viewToken, secret, ""} {
			body := strings.NewReplacer(`{}`, `{"p":"`+secret+`"}`, `"w"`, `"`+secret+`"`).Replace(bodyOf(rt))
			r.ask(rt.method, pathOf(rt), body, bearer(token)...)
			r.ask(rt.method, pathOf(rt)+"?cursor="+secret, body, bearer(token)...)
			r.ask(rt.method, pathOf(rt), secret, bearer(token)...)
		}
	}
	_ = e.Close()
	for i := range table {
		rt := &table[i]
		r.ask(rt.method, pathOf(rt), strings.ReplaceAll(bodyOf(rt), `{}`, `{"p":"`+secret+`"}`), bearer(opToken)...)
	}
	log := r.logs.String()
	if !strings.Contains(log, `"changed"`) || !strings.Contains(log, `"who":"alice"`) || !strings.Contains(log, "request failed") {
		t.Error("the log says nothing")
	}
	for _, s := range []string{secret, opToken, viewToken} {
		if strings.Contains(log, s) {
			t.Errorf("%s is in the log", s)
		}
	}
}

// Whatever JSON says, decoding names each field that is wrong, and takes what is right.
func TestDecode(t *testing.T) {
	for body, says := range map[string]string{
		`{"ids":["463954d63a2ce1cdd44349ee05313460"],"why":"w"}`: "", `{"filter":{"al":true}}`: "filter.al", `{"filter":{"all":true,"all":true}}`: "filter.all", `{"ids":["x"]}`: "parse id",
		`{"ids":{}}`: "array", `{"filter":[]}`: "object", `{"limit":"5"}`: "limit", `{"limit":5.5}`: "limit", `{"limit":99999999999999999999}`: "limit", `null`: "object", `{"a":1,"b":[{"c":{}}],"d":{"e":[]}}`: "field b",
	} {
		var ch Change
		err := decode([]byte(body), &ch)
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", body, err)
		}
		if err != nil && len(words(err)) == 0 {
			t.Errorf("%s: %v has no reason", body, err)
		}
	}
	var n NewJob
	if err := decode([]byte(`{"kind":"k","args":{"kind":1,"kind":2,"x":[{}]},"headers":{"a":"b"},"parent":"","fingerprint":"18446744073709551615"}`), &n); err != nil || n.Fingerprint != 1<<64-1 {
		t.Errorf("%+v %v", n, err)
	}
}
