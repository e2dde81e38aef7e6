package httpapi

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/twicehq/twice/queue"
)

// decode reads a body into v, a pointer to a struct. Names count exactly, each may be there once, those without
// omitempty or omitzero must be; what is wrong is said all at once. It fails with ErrInvalid.
func decode(raw []byte, v any) error {
	var found queue.Problems
	wrong := func(at, detail, remedy string) {
		if len(found) < 20 {
			found = append(found, invalid("request", "field "+cut(at, 100), detail, remedy))
		}
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if err := compare(d, reflect.TypeOf(v).Elem(), "", wrong); err != nil {
		return invalid("request", "body", "it is no JSON: "+cut(err.Error(), 200), "send one JSON object")
	}
	if _, err := d.Token(); err != io.EOF {
		return invalid("request", "body", "something follows the JSON object", "send one JSON object")
	}
	if err := joined("request", "body", found); err != nil {
		return err
	}
	if err := json.Unmarshal(raw, v); err != nil {
		var at *json.UnmarshalTypeError
		var known *queue.Error
		switch {
		case errors.As(err, &at):
			return invalid("request", "field "+cut(at.Field, 100), "it cannot be "+at.Value, "see /api/openapi.json for its type")
		case errors.As(err, &known):
			return err
		}
		return invalid("request", "body", cut(err.Error(), 200), "see /api/openapi.json for its form")
	}
	return nil
}

// field is a field of a struct as JSON has it.
type field struct {
	reflect.StructField
	name     string
	required bool
}

// fieldsOf gives the fields of a struct type, those of embedded structs among them.
func fieldsOf(t reflect.Type) (all []field) {
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		switch {
		case f.Anonymous && tag == "":
			all = append(all, fieldsOf(f.Type)...)
		case name != "" && name != "-":
			all = append(all, field{f, name, !strings.Contains(options, "omit")})
		}
	}
	return all
}

var unmarshaler, textual = reflect.TypeFor[json.Unmarshaler](), reflect.TypeFor[encoding.TextUnmarshaler]()

// compare walks through one JSON value beside a type.
func compare(d *json.Decoder, t reflect.Type, at string, wrong func(at, detail, remedy string)) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	// What reads itself, and what is no composite, is left to Unmarshal.
	reads := reflect.PointerTo(t).Implements(unmarshaler) || reflect.PointerTo(t).Implements(textual)
	composite := t.Kind() == reflect.Struct || t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8
	if reads || !composite {
		var skipped json.RawMessage
		return d.Decode(&skipped)
	}
	token, err := d.Token()
	if err != nil {
		return err
	}
	open := json.Delim('{')
	if t.Kind() == reflect.Slice {
		open = '['
	}
	if token != open {
		wrong(at, fmt.Sprintf("it is not a JSON %s", map[json.Delim]string{'{': "object", '[': "array"}[open]), "see /api/openapi.json for its form")
		return skip(d, token)
	}
	if open == '[' {
		for i := 0; d.More(); i++ {
			if err := compare(d, t.Elem(), fmt.Sprintf("%s[%d]", at, i), wrong); err != nil {
				return err
			}
		}
	} else if err := compareObject(d, t, at, wrong); err != nil {
		return err
	}
	_, err = d.Token()
	return err
}

func compareObject(d *json.Decoder, t reflect.Type, at string, wrong func(at, detail, remedy string)) error {
	known := map[string]field{}
	var names []string
	for _, f := range fieldsOf(t) {
		known[f.name] = f
		names = append(names, f.name)
	}
	seen := map[string]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		name := key.(string)
		path := strings.TrimPrefix(at+"."+name, ".")
		f, ok := known[name]
		inner := f.Type
		if !ok {
			wrong(path, "it is not known", "use "+strings.Join(names, ", "))
			inner = reflect.TypeFor[json.RawMessage]()
		} else if seen[name] {
			wrong(path, "it is there twice", "give it once")
		}
		seen[name] = true
		if err := compare(d, inner, path, wrong); err != nil {
			return err
		}
	}
	for _, f := range fieldsOf(t) {
		if f.required && !seen[f.name] {
			wrong(strings.TrimPrefix(at+"."+f.name, "."), "it is missing", "give it")
		}
	}
	return nil
}

// skip passes over the rest of a value that began with token.
func skip(d *json.Decoder, token json.Token) error {
	if delim, ok := token.(json.Delim); !ok || delim == ']' || delim == '}' {
		return nil
	}
	for depth := 1; depth > 0; {
		next, err := d.Token()
		if err != nil {
			return err
		}
		switch next {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
	return nil
}
