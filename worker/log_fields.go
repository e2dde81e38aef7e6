package worker

import (
	"bytes"
	"encoding/json"
	"log/slog"

	"github.com/twicehq/twice"
)

// maxField is how many bytes of one field of a payload are logged.
const maxField = 256

// payloadAttr gives what a kind allows to be logged of a payload (Policy.LogFields), as the group "payload"; false
// where that is nothing: no field is named, none of them is there, or the payload is no JSON object. Numbers keep
// every digit; an object or an array is logged as its JSON. Each value is scrubbed and cut.
func payloadAttr(payload []byte, fields []string) (slog.Attr, bool) {
	var all map[string]json.RawMessage
	if len(fields) == 0 || json.Unmarshal(payload, &all) != nil {
		return slog.Attr{}, false
	}
	var attrs []any
	for _, name := range fields {
		if raw, ok := all[name]; ok {
			attrs = append(attrs, slog.String(name, twice.Scrub(fieldText(raw), maxField)))
		}
	}
	return slog.Group("payload", attrs...), len(attrs) > 0
}

// fieldText is the text of a string, and the JSON of everything else.
func fieldText(raw json.RawMessage) string {
	var text string
	if raw[0] == '"' && json.Unmarshal(raw, &text) == nil {
		return text
	}
	var line bytes.Buffer
	if json.Compact(&line, raw) != nil {
		return ""
	}
	return line.String()
}
