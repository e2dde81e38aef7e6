package httpapi

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// held wraps an API so that every answer it gives is held to the description.
func held(t testing.TB, h http.Handler) http.Handler {
	doc := parsed(t)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		record := httptest.NewRecorder()
		h.ServeHTTP(record, r)
		for _, m := range unlike(doc, r.Method, r.URL.Path, record) {
			t.Errorf("%s %s: %d: %s: %.300s", r.Method, r.URL.Path, record.Code, m, record.Body)
		}
		for name, values := range record.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(record.Code)
		_, _ = w.Write(record.Body.Bytes())
	})
}

// observed are the routes and statuses that tests have seen.
var observed sync.Map

// unlike says in what an answer differs from its description.
func unlike(doc object, method, path string, answer *httptest.ResponseRecorder) (found []string) {
	say := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	if answer.Code >= 300 && answer.Code < 400 {
		return nil // the path was not clean
	}
	var body any
	if kind := answer.Header().Get("Content-Type"); kind != "application/json" {
		say("content type %q", kind)
	}
	if answer.Body.Len() > 0 {
		if err := json.Unmarshal(answer.Body.Bytes(), &body); err != nil {
			say("%v", err)
		}
	}
	rt := routeAt(method, path)
	if rt == nil || answer.Code == http.StatusMethodNotAllowed {
		valid(doc, object{"$ref": "#/components/schemas/Failure"}, body, "body", say)
		return found
	}
	observed.Store(rt.name+" "+strconv.Itoa(answer.Code), true)
	op := doc["paths"].(object)[rt.path].(object)[strings.ToLower(rt.method)].(object)
	response, _ := op["responses"].(object)[strconv.Itoa(answer.Code)].(object)
	if response == nil {
		say("the status is not described")
		return found
	}
	valid(doc, schemaIn(followed(doc, response)), body, "body", say)
	return found
}

var wild = regexp.MustCompile(`\{[a-z]+\}`)

// routeAt finds the row of a path; one without wildcards first.
func routeAt(method, path string) *route {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	var found *route
	for i := range table {
		rt := &table[i]
		pattern := regexp.MustCompile("^" + wild.ReplaceAllString(rt.path, "[^/]+") + "$")
		if rt.method == method && pattern.MatchString(path) && (found == nil || !strings.Contains(rt.path, "{")) {
			found = rt
		}
	}
	return found
}

// valid holds a value to a schema. A property that is not described is not allowed.
func valid(doc, schema object, v any, at string, say func(string, ...any)) {
	schema = followed(doc, schema)
	if schema == nil {
		say("%s: no schema", at)
		return
	}
	kind, _ := schema["type"].(string)
	ok := true
	switch kind {
	case "object":
		fields, is := v.(object)
		if ok = is; ok {
			validObject(doc, schema, fields, at, say)
		}
	case "array":
		items, is := v.([]any)
		if ok = is; ok {
			for i, item := range items {
				valid(doc, schema["items"].(object), item, fmt.Sprintf("%s[%d]", at, i), say)
			}
		}
	case "string":
		text, is := v.(string)
		ok = is && validText(schema, text)
	case "integer":
		n, is := v.(float64)
		ok = is && n == math.Trunc(n)
	case "number":
		_, ok = v.(float64)
	case "boolean":
		_, ok = v.(bool)
	}
	if !ok {
		say("%s: %v is no %s", at, v, kind)
	}
}

func validText(schema object, text string) bool {
	if words, is := schema["enum"].([]any); is {
		for _, w := range words {
			if w == text {
				return true
			}
		}
		return false
	}
	if pattern, is := schema["pattern"].(string); is && !regexp.MustCompile(pattern).MatchString(text) {
		return false
	}
	if schema["format"] == "date-time" {
		_, err := time.Parse(time.RFC3339Nano, text)
		return err == nil
	}
	return true
}

func validObject(doc, schema, fields object, at string, say func(string, ...any)) {
	properties, _ := schema["properties"].(object)
	free, _ := schema["additionalProperties"].(object)
	for name, v := range fields {
		switch one, _ := properties[name].(object); {
		case one != nil:
			valid(doc, one, v, at+"."+name, say)
		case free != nil:
			valid(doc, free, v, at+"."+name, say)
		default:
			say("%s.%s is not described", at, name)
		}
	}
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if _, there := fields[name.(string)]; !there {
			say("%s.%v is missing", at, name)
		}
	}
}

// The control: an answer that is not as described is found out.
func TestAnswer_that_is_not_as_described_is_found(t *testing.T) {
	for name, body := range map[string]string{
		"a field more":      `{"name":"q","paused":true,"x":1}`,
		"a field less":      `{"name":"q"}`,
		"another type":      `{"name":"q","paused":"yes"}`,
		"no object":         `[]`,
		"no JSON":           `<html>`,
		"nothing":           `null`,
		"a list for a name": `{"name":[],"paused":true}`,
	} {
		w := httptest.NewRecorder()
		write(w, 200, []byte(body))
		if len(unlike(parsed(t), "POST", v1+"queues/q/pause", w)) == 0 {
			t.Errorf("%s is not found", name)
		}
	}
	w := httptest.NewRecorder()
	write(w, 418, []byte(`{"name":"q","paused":true}`))
	if len(unlike(parsed(t), "POST", v1+"queues/q/pause", w)) == 0 {
		t.Error("a status that is not described is not found")
	}
}
