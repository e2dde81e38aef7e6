package httpapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mismatches compares a description with the routes and the Go types, in both directions. It shares nothing with
// what made the description but the table itself.
func mismatches(doc object, routes []route) (found []string) {
	say := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	paths, _ := doc["paths"].(object)
	byName := map[string]bool{}
	for i := range routes {
		rt := &routes[i]
		byName[rt.path+" "+strings.ToLower(rt.method)] = true
		methods, _ := paths[rt.path].(object)
		op, _ := methods[strings.ToLower(rt.method)].(object)
		if op == nil {
			say("%s %s is not described", rt.method, rt.path)
			continue
		}
		compareParams(op, rt, say)
		compareStatuses(op, rt, say)
		if body, _ := op["requestBody"].(object); (body != nil) != (rt.body != nil) {
			say("%s: body %v, described %v", rt.name, rt.body, body)
		} else if body != nil {
			compareType(doc, schemaIn(body), rt.body, rt.name+" body", map[reflect.Type]bool{}, say)
		}
		responses, _ := op["responses"].(object)
		for _, status := range rt.status {
			response, _ := responses[strconv.Itoa(status)].(object)
			compareType(doc, schemaIn(followed(doc, response)), rt.answer, fmt.Sprintf("%s %d", rt.name, status), map[reflect.Type]bool{}, say)
		}
		for _, status := range rt.failures() {
			if slices.Contains(rt.status, status) {
				continue
			}
			response, _ := responses[strconv.Itoa(status)].(object)
			compareType(doc, schemaIn(followed(doc, response)), failureType, fmt.Sprintf("%s %d", rt.name, status), map[reflect.Type]bool{}, say)
		}
		if secured := op["security"] != nil; secured != (rt.role > Nobody) || op["x-role"] != rt.role.String() || op["operationId"] != rt.name {
			say("%s: role or name", rt.name)
		}
	}
	for path, methods := range paths {
		for method := range methods.(object) {
			if !byName[path+" "+method] {
				say("%s %s is described and not routed", method, path)
			}
		}
	}
	return found
}

func schemaIn(part object) object {
	content, _ := part["content"].(object)
	kind, _ := content["application/json"].(object)
	schema, _ := kind["schema"].(object)
	return schema
}

func compareParams(op object, rt *route, say func(string, ...any)) {
	described, _ := op["parameters"].([]any)
	if len(described) != len(rt.params) {
		say("%s: %d parameters, described %d", rt.name, len(rt.params), len(described))
		return
	}
	for i, p := range rt.params {
		d := described[i].(object)
		schema := d["schema"].(object)
		in := "query"
		if p.inPath {
			in = "path"
		}
		if d["name"] != p.name || d["in"] != in || d["required"] != p.required || p.inPath != strings.Contains(rt.path, "{"+p.name+"}") {
			say("%s: parameter %s is described as %v", rt.name, p.name, d)
		}
		bounded := map[form]string{aName: "maxLength", aText: "maxLength", aNumber: "maximum", aChoice: "enum", anID: "pattern", aFlag: "type"}[p.form]
		if schema[bounded] == nil {
			say("%s: parameter %s has no bound", rt.name, p.name)
		}
		if p.form == aNumber && (schema["maximum"] != float64(p.max) || schema["minimum"] != float64(p.min) || schema["default"] != float64(p.byDef)) {
			say("%s: parameter %s is %d to %d, described %v", rt.name, p.name, p.min, p.max, schema)
		}
	}
}

func compareStatuses(op object, rt *route, say func(string, ...any)) {
	want := map[string]bool{}
	for _, s := range append(rt.failures(), rt.status...) {
		want[strconv.Itoa(s)] = true
	}
	got, _ := op["responses"].(object)
	if a, b := slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)); !slices.Equal(a, b) {
		say("%s: statuses %v, described %v", rt.name, a, b)
	}
}

// compareType walks a schema beside a type.
func compareType(doc, schema object, t reflect.Type, at string, seen map[reflect.Type]bool, say func(string, ...any)) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if schema == nil {
		say("%s: no schema", at)
		return
	}
	schema = followed(doc, schema)
	if t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8 {
		items, _ := schema["items"].(object)
		compareType(doc, items, t.Elem(), at+"[]", seen, say)
		return
	}
	if _, simple := plain[t]; simple || t.Kind() != reflect.Struct || seen[t] {
		return
	}
	seen[t] = true
	properties, _ := schema["properties"].(object)
	required, _ := schema["required"].([]any)
	names := map[string]bool{}
	for _, f := range fieldsOf(t) {
		names[f.name] = true
		one, _ := properties[f.name].(object)
		if one == nil {
			say("%s.%s is not described", at, f.name)
			continue
		}
		if slices.Contains(required, any(f.name)) != f.required {
			say("%s.%s: required is %v", at, f.name, f.required)
		}
		compareType(doc, one, f.Type, at+"."+f.name, seen, say)
	}
	for name := range properties {
		if !names[name] {
			say("%s.%s is described and not there", at, name)
		}
	}
	for _, name := range required {
		if !names[name.(string)] {
			say("%s.%v is required and not there", at, name)
		}
	}
}

func followed(doc, schema object) object {
	ref, ok := schema["$ref"].(string)
	if !ok {
		return schema
	}
	kind, name, _ := strings.Cut(strings.TrimPrefix(ref, "#/components/"), "/")
	all, _ := doc["components"].(object)[kind].(object)
	to, _ := all[name].(object)
	return to
}

func parsed(t testing.TB) object {
	var doc object
	if err := json.Unmarshal(description, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// Every route, parameter, status and field of the code is described, and nothing else is.
func TestDescription_holds(t *testing.T) {
	for _, m := range mismatches(parsed(t), table) {
		t.Error(m)
	}
}

// The control: a description that says anything else is found out.
func TestDescription_that_lies_is_found(t *testing.T) {
	at := func(v any, path ...string) object {
		for _, p := range path {
			v = v.(object)[p]
		}
		return v.(object)
	}
	for name, lie := range map[string]func(doc object){
		"a route left out":      func(d object) { delete(at(d, "paths"), v1+"queues") },
		"a route made up":       func(d object) { at(d, "paths")["/api/v1/else"] = object{"get": object{}} },
		"a status left out":     func(d object) { delete(at(d, "paths", v1+"jobs", "post", "responses"), "413") },
		"a status made up":      func(d object) { at(d, "paths", v1+"jobs", "post", "responses")["418"] = object{} },
		"a field left out":      func(d object) { delete(at(d, "components", "schemas", "Job", "properties"), "token") },
		"a field made up":       func(d object) { at(d, "components", "schemas", "Job", "properties")["x"] = object{} },
		"a deep field left out": func(d object) { delete(at(d, "components", "schemas", "Evidence", "properties"), "value") },
		"an error's field":      func(d object) { delete(at(d, "components", "schemas", "Fault", "properties"), "remedy") },
		"a request's field":     func(d object) { delete(at(d, "components", "schemas", "Filter", "properties"), "kind") },
		"required that is not":  func(d object) { at(d, "components", "schemas", "Change")["required"] = []any{"ids"} },
		"a parameter left out":  func(d object) { delete(at(d, "paths", v1+"jobs", "get"), "parameters") },
		"a bound that is another": func(d object) {
			at(d, "paths", v1+"audit/trail", "get")["parameters"].([]any)[0].(object)["schema"].(object)["maximum"] = 5.0
		},
		"a role": func(d object) { at(d, "paths", v1+"jobs", "post")["x-role"] = "viewer" },
	} {
		doc := parsed(t)
		lie(doc)
		if len(mismatches(doc, table)) == 0 {
			t.Errorf("%s is not found", name)
		}
	}
}
