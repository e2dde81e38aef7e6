package httpapi

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/twicehq/twice/diagnose"
	"github.com/twicehq/twice/queue"
)

// writer makes schemas of Go types.
type writer struct {
	comments  map[string]string // of Type and Type.Field
	schemas   object
	responses object
}

var failureType = reflect.TypeFor[Failure]()

// plain are the types that are no struct of their own on the wire.
var plain = map[reflect.Type]object{
	reflect.TypeFor[time.Time]():        {"type": "string", "format": "date-time"},
	reflect.TypeFor[queue.ID]():         {"type": "string", "pattern": "^([0-9a-f]{32})?$"},
	reflect.TypeFor[json.RawMessage]():  {},
	reflect.TypeFor[[]byte]():           {"type": "string", "contentEncoding": "base64"},
	reflect.TypeFor[time.Duration]():    {"type": "integer"},
	reflect.TypeFor[queue.State]():      {"type": "string", "enum": []string{"queued", "running", "done", "dead", "cancelled"}},
	reflect.TypeFor[queue.Status]():     {"type": "string", "enum": []string{"accepted", "duplicate", "conflict", "refused"}},
	reflect.TypeFor[queue.Reason]():     {"type": "string", "enum": reasonWords},
	reflect.TypeFor[OperationState]():   {"type": "string", "enum": []string{"running", "done", "stopped", "failed"}},
	reflect.TypeFor[queue.Outcome]():    {"type": "string", "enum": []string{"done", "failed", "timed_out", "panicked", "crashed", "interrupted", "snoozed", "cancelled", "buried"}},
	reflect.TypeFor[diagnose.Verdict](): {"type": "string"},
}

func (w *writer) schema(t reflect.Type, asked bool) object {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if s, ok := plain[t]; ok {
		return s
	}
	switch t.Kind() {
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Uint64:
		return object{"type": "string", "pattern": "^[0-9]{1,20}$"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": object{"type": "string"}}
	case reflect.Slice:
		return object{"type": "array", "items": w.schema(t.Elem(), asked)}
	case reflect.Struct:
		return w.named(t, asked)
	}
	panic("no schema for " + t.String())
}

// named puts a struct among the components.
func (w *writer) named(t reflect.Type, asked bool) object {
	ref := object{"$ref": "#/components/schemas/" + t.Name()}
	if w.schemas[t.Name()] != nil {
		return ref
	}
	s := object{"type": "object"}
	w.schemas[t.Name()] = s
	properties, required := object{}, []string{}
	for _, f := range fieldsOf(t) {
		one := w.schema(f.Type, asked)
		if text := w.comments[w.owner(t, f)+"."+f.Name]; text != "" {
			with := object{"description": text}
			for k, v := range one {
				with[k] = v
			}
			one = with
		}
		properties[f.name] = one
		if f.required {
			required = append(required, f.name)
		}
	}
	s["properties"] = properties
	if len(required) > 0 {
		s["required"] = required
	}
	if text := w.comments[t.Name()]; text != "" {
		s["description"] = text
	}
	if asked {
		s["additionalProperties"] = false
	}
	return ref
}

// owner is the struct that a field was written in.
func (w *writer) owner(t reflect.Type, f field) string {
	for i := range t.NumField() {
		e := t.Field(i)
		if !e.Anonymous {
			continue
		}
		if own, ok := e.Type.FieldByName(f.Name); ok && own.Tag == f.Tag {
			return e.Type.Name()
		}
	}
	return t.Name()
}

// commentsOf reads what the source says of types and fields.
func commentsOf(t *testing.T) map[string]string {
	found := map[string]string{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(files, filepath.Join("..", "diagnose", "finding.go")) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			decl, ok := n.(*ast.GenDecl)
			if !ok || decl.Tok != token.TYPE {
				return true
			}
			for _, spec := range decl.Specs {
				of := spec.(*ast.TypeSpec)
				found[of.Name.Name] = wording(decl.Doc)
				body, ok := of.Type.(*ast.StructType)
				if !ok {
					continue
				}
				for _, f := range body.Fields.List {
					for _, name := range f.Names {
						found[of.Name.Name+"."+name.Name] = wording(f.Doc) + wording(f.Comment)
					}
				}
			}
			return true
		})
	}
	return found
}

func wording(c *ast.CommentGroup) string { return strings.Join(strings.Fields(c.Text()), " ") }
