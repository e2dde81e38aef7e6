package httpapi

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write openapi.json again")

// The description is what the table of routes and the types make of it.
func TestDescription_is_current(t *testing.T) {
	var want bytes.Buffer
	e := json.NewEncoder(&want)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(described(t)); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("openapi.json", want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(want.Bytes(), description) {
		t.Fatal("openapi.json is stale: go test ./httpapi -run TestDescription -update")
	}
}

type object = map[string]any

// described makes the OpenAPI document.
func described(t *testing.T) object {
	w := &writer{comments: commentsOf(t), schemas: object{}, responses: object{}}
	paths := object{}
	for i := range table {
		rt := &table[i]
		if paths[rt.path] == nil {
			paths[rt.path] = object{}
		}
		paths[rt.path].(object)[strings.ToLower(rt.method)] = w.operation(rt)
	}
	return object{
		"openapi": "3.1.0",
		"info": object{"title": "Twice", "version": "1", "description": "Jobs of one engine: look at them and steer them. " +
			"Lists take limit and cursor and answer next. Changes are POST requests that say why. Every error has one form, Failure, whose reason is one of a fixed set of words."},
		"paths": paths,
		"components": object{
			"schemas":         w.schemas,
			"responses":       w.responses,
			"securitySchemes": object{"token": object{"type": "http", "scheme": "bearer", "description": "Not needed where the API has no tokens: then it serves its own machine only."}},
		},
	}
}

func (w *writer) operation(rt *route) object {
	op := object{"operationId": rt.name, "summary": rt.doc, "x-role": rt.role.String()}
	if rt.role > Nobody {
		op["security"] = []object{{"token": []string{}}}
	}
	if len(rt.needs) > 0 {
		op["x-needs"] = rt.needs
	}
	var params []object
	for _, p := range rt.params {
		in := "query"
		if p.inPath {
			in = "path"
		}
		params = append(params, object{"name": p.name, "in": in, "description": p.doc, "required": p.required, "schema": paramSchema(p)})
	}
	if params != nil {
		op["parameters"] = params
	}
	if rt.body != nil {
		op["requestBody"] = object{"required": true, "content": jsonOf(w.schema(rt.body, true))}
	}
	responses := object{}
	for _, status := range rt.failures() {
		name := "failed" + strconv.Itoa(status)
		w.responses[name] = object{"description": reasonsAt(status), "content": jsonOf(w.schema(failureType, false))}
		responses[strconv.Itoa(status)] = object{"$ref": "#/components/responses/" + name}
	}
	for _, status := range rt.status {
		responses[strconv.Itoa(status)] = object{"description": rt.doc, "content": jsonOf(w.schema(rt.answer, false))}
	}
	op["responses"] = responses
	return op
}

func jsonOf(schema object) object { return object{"application/json": object{"schema": schema}} }

// reasonsAt names the reasons that have a status.
func reasonsAt(status int) string {
	var words []string
	for _, r := range reasons {
		if r.status == status {
			words = append(words, r.word)
		}
	}
	switch status {
	case 414:
		words = []string{"too_large: the query"}
	case 415:
		words = []string{"invalid: the body is not JSON by its content type"}
	case 421:
		words = []string{"forbidden: the host's name is not served"}
	}
	return strings.Join(words, ", ")
}

func paramSchema(p param) object {
	switch p.form {
	case aName:
		return object{"type": "string", "pattern": namePattern, "minLength": 1, "maxLength": 64}
	case anID:
		return object{"type": "string", "pattern": "^[0-9a-fA-F]{32}$"}
	case aNumber:
		return object{"type": "integer", "minimum": p.min, "maximum": p.max, "default": p.byDef}
	case aChoice:
		return object{"type": "string", "enum": p.words}
	case aFlag:
		return object{"type": "boolean"}
	}
	return object{"type": "string", "minLength": p.min, "maxLength": p.max}
}

const namePattern = "^[a-zA-Z0-9][a-zA-Z0-9._-]*$"

// Each reason that package queue knows has a word, and no word stands for two.
func TestReasons_all_have_a_word(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range reasons {
		if seen[r.word] || r.remedy == "" || r.status < 400 {
			t.Errorf("%+v", r)
		}
		seen[r.word] = true
	}
	for name, err := range queueErrors(t) {
		if !slices.ContainsFunc(reasons, func(r reason) bool { return r.is == err }) {
			t.Errorf("queue.%s has no word", name)
		}
	}
}
