package httpapi

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/twicehq/twice/queue"
)

// param is a parameter in the query or the path. Every one is bounded.
type param struct {
	name     string
	doc      string
	form     form
	min, max int      // of a number its bounds, of a text its bytes
	byDef    int      // of a number that is left out
	words    []string // of a choice
	required bool
	inPath   bool
}

type form uint8

const (
	aText form = iota
	aName      // as queue.CheckName has it
	anID
	aNumber
	aChoice
	aFlag // true or false
)

// value is a parameter as it was given, read.
type value struct {
	text   string
	number int
	id     queue.ID
}

const (
	maxQuery  = 8 << 10 // bytes of a query
	maxCursor = 1 << 10
)

// arguments reads the parameters of a request. It fails with ErrInvalid, naming everything that is wrong, and
// every parameter that the route does not know.
func (rt *route) arguments(r *http.Request) (map[string]value, error) {
	if len(r.URL.RawQuery) > maxQuery {
		return nil, reject(http.StatusRequestURITooLong, queue.ErrTooLarge, "query", fmt.Sprintf("it has %d bytes, the limit is %d", len(r.URL.RawQuery), maxQuery), "send less")
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, invalid(rt.name, "query", "it cannot be read", "write name=value, percent-encoded, with & between")
	}
	var found queue.Problems
	values := map[string]value{}
	for _, p := range rt.params {
		given, there := query[p.name]
		delete(query, p.name)
		if p.inPath {
			given, there = []string{r.PathValue(p.name)}, true
		}
		v, problem := p.read(given, there)
		if problem != "" {
			found = append(found, invalid(rt.name, "parameter "+p.name, problem, p.remedy()))
		}
		values[p.name] = v
	}
	unknown := make([]string, 0, len(query))
	for name := range query {
		unknown = append(unknown, name)
	}
	slices.Sort(unknown)
	for i, name := range unknown {
		if i == 10 {
			break
		}
		found = append(found, invalid(rt.name, fmt.Sprintf("parameter %.80q", name), "it is not known", rt.takesOnly()))
	}
	return values, joined(rt.name, "parameters", found)
}

func (rt *route) takesOnly() string {
	var names []string
	for _, p := range rt.params {
		if !p.inPath {
			names = append(names, p.name)
		}
	}
	if len(names) == 0 {
		return "leave it out: there are none here"
	}
	return "use " + strings.Join(names, ", ")
}

// read gives the value, or what is wrong with it.
func (p param) read(given []string, there bool) (v value, problem string) {
	switch {
	case !there && p.required:
		return v, "it is missing"
	case !there:
		return value{number: p.byDef}, ""
	case len(given) > 1:
		return v, fmt.Sprintf("it is given %d times", len(given))
	}
	v.text = given[0]
	switch p.form {
	case aName:
		if v.text == "" && !p.inPath {
			return v, "it is empty"
		}
		if queue.CheckName(p.name, v.text) != nil {
			return v, fmt.Sprintf("%.80q is no name", v.text)
		}
	case anID:
		id, err := queue.ParseID(v.text)
		if v.id = id; err != nil {
			return v, fmt.Sprintf("%.40q is no id", v.text)
		}
	case aNumber:
		n, err := strconv.Atoi(v.text)
		if v.number = n; err != nil || n < p.min || n > p.max {
			return v, fmt.Sprintf("%.40q is no number from %d to %d", v.text, p.min, p.max)
		}
	case aChoice:
		if !slices.Contains(p.words, v.text) {
			return v, fmt.Sprintf("there is no %.40q", v.text)
		}
	case aFlag:
		if v.text != "true" && v.text != "false" {
			return v, fmt.Sprintf("%.40q is neither true nor false", v.text)
		}
	case aText:
		if len(v.text) < p.min || len(v.text) > p.max {
			return v, fmt.Sprintf("it has %d bytes", len(v.text))
		}
	}
	return v, ""
}

func (p param) remedy() string {
	switch p.form {
	case aName:
		return "use 1 to 64 of a-z A-Z 0-9 . _ - and begin with a letter or digit"
	case anID:
		return "use the 32 hexadecimal digits of an id"
	case aNumber:
		return fmt.Sprintf("use %d to %d", p.min, p.max)
	case aChoice:
		return "use one of " + strings.Join(p.words, ", ")
	case aFlag:
		return "use true or false"
	}
	return fmt.Sprintf("use %d to %d bytes", p.min, p.max)
}

func (c *call) text(name string) string { return c.values[name].text }
func (c *call) number(name string) int  { return c.values[name].number }
func (c *call) id(name string) queue.ID { return c.values[name].id }
