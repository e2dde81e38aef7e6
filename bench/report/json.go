package report

import (
	"encoding/json"
	"io"
)

// JSON writes a report as one object.
func JSON(w io.Writer, r Report) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}
