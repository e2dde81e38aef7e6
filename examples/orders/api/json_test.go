package api

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// padded is an order's body of n bytes.
func padded(n int) string {
	head, tail := `{"reference":"`, `"}`
	return head + strings.Repeat("r", n-len(head)-len(tail)) + tail
}

// The body is one JSON object of known fields within the limit, however it is sent and said to be.
func TestReadJSON(t *testing.T) {
	for name, c := range map[string]struct {
		body, kind string
		status     int // 0: it is taken
	}{
		"an object":             {`{"reference":"a","amount_cents":7}`, "application/json", 0},
		"with a charset":        {`{"reference":"a"}`, "application/json; charset=utf-8", 0},
		"with no type":          {`{"reference":"a"}`, "", 0},
		"space around":          {" \n{} \n", "application/json", 0},
		"as large as may be":    {padded(16 << 10), "", 0},
		"a byte more":           {padded(16<<10 + 1), "", 413},
		"space beyond":          {"{}" + strings.Repeat(" ", 16<<10), "", 413},
		"another type":          {`{}`, "text/plain", 415},
		"a type that is none":   {`{}`, "json/", 415},
		"an unknown field":      {`{"price":1}`, "", 400},
		"a number for a text":   {`{"reference":1}`, "", 400},
		"cut short":             {`{"reference":"a"`, "", 400},
		"another after it":      {`{}{}`, "", 400},
		"something after it":    {`{}x`, "", 400},
		"a list":                {`[]`, "", 400},
		"nothing":               {``, "", 400},
		"an amount with places": {`{"amount_cents":1.5}`, "", 400},
	} {
		for how, body := range map[string]io.Reader{"": strings.NewReader(c.body), ", of a length not said": io.MultiReader(strings.NewReader(c.body))} {
			r := httptest.NewRequest(http.MethodPost, "/orders", body)
			r.Header.Set("Content-Type", c.kind)
			var got placeBody
			err := readJSON(httptest.NewRecorder(), r, &got)
			var p *problem
			switch {
			case c.status == 0 && err != nil:
				t.Errorf("%s%s: %v", name, how, err)
			case c.status != 0 && (!errors.As(err, &p) || p.status != c.status || p.What == "" || p.Why == "" || p.Remedy == ""):
				t.Errorf("%s%s: %+v", name, how, err)
			}
		}
	}
}
