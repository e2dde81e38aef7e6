// Package diff tells in which parts two values differ, by their paths.
package diff

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// maxLines bounds what is told; maxDepth how deep it is looked.
const (
	maxLines = 20
	maxDepth = 20
)

// Of gives a line for each part in which b differs from a: its path, what it is in a, and what in b. None: they are
// equal in the sense of reflect.DeepEqual. It tells at most 20.
func Of(a, b any) []string {
	if reflect.DeepEqual(a, b) {
		return nil
	}
	d := &differ{}
	d.values("", reflect.ValueOf(a), reflect.ValueOf(b), 0)
	if len(d.lines) == 0 {
		d.add("", reflect.ValueOf(a), reflect.ValueOf(b))
	}
	if d.more > 0 {
		d.lines = append(d.lines, fmt.Sprintf("… and %d more", d.more))
	}
	return d.lines
}

type differ struct {
	lines []string
	more  int
}

func (d *differ) add(path string, a, b reflect.Value) {
	if len(d.lines) >= maxLines {
		d.more++
		return
	}
	if path == "" {
		path = "it"
	}
	d.lines = append(d.lines, fmt.Sprintf("%s: %s → %s", strings.TrimPrefix(path, "."), text(a), text(b)))
}

func (d *differ) values(path string, a, b reflect.Value, depth int) {
	if !a.IsValid() || !b.IsValid() || a.Type() != b.Type() || depth > maxDepth {
		if a.IsValid() != b.IsValid() || a.IsValid() && text(a) != text(b) {
			d.add(path, a, b)
		}
		return
	}
	switch a.Kind() {
	case reflect.Struct:
		if a.Type().Implements(reflect.TypeFor[fmt.Stringer]()) {
			break
		}
		for i := range a.NumField() {
			d.values(path+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i), depth+1)
		}
		return
	case reflect.Map:
		d.maps(path, a, b, depth)
		return
	case reflect.Slice, reflect.Array:
		if a.Type().Elem().Kind() == reflect.Uint8 {
			break
		}
		for i := range max(a.Len(), b.Len()) {
			d.values(fmt.Sprintf("%s[%d]", path, i), item(a, i), item(b, i), depth+1)
		}
		return
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			break
		}
		d.values(path, a.Elem(), b.Elem(), depth+1)
		return
	}
	if text(a) != text(b) {
		d.add(path, a, b)
	}
}

func (d *differ) maps(path string, a, b reflect.Value, depth int) {
	keys := append(a.MapKeys(), b.MapKeys()...)
	slices.SortFunc(keys, func(x, y reflect.Value) int { return strings.Compare(text(x), text(y)) })
	last := ""
	for i, k := range keys {
		if i > 0 && text(k) == last {
			continue
		}
		last = text(k)
		name := last
		if k.Kind() == reflect.String {
			name = k.String()
		}
		if path != "" {
			name = path + "[" + name + "]"
		}
		d.values(name, a.MapIndex(k), b.MapIndex(k), depth+1)
	}
}

func item(v reflect.Value, i int) reflect.Value {
	if i < v.Len() {
		return v.Index(i)
	}
	return reflect.Value{}
}

// text tells a value on one line of bounded length.
func text(v reflect.Value) string {
	if !v.IsValid() {
		return "nothing"
	}
	s := ""
	switch {
	case v.Kind() == reflect.String:
		s = fmt.Sprintf("%q", v)
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		s = fmt.Sprintf("%q", v.Bytes())
	default:
		s = fmt.Sprintf("%+v", v)
	}
	if len(s) > 200 {
		s = s[:200] + "…"
	}
	return s
}
