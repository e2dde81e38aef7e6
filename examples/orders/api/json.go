package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
)

// maxBody bounds the body of a request, in bytes.
const maxBody = 16 << 10

// readJSON reads one JSON object with no field unknown. It fails with a *problem.
func readJSON(w http.ResponseWriter, r *http.Request, into any) error {
	if kind := r.Header.Get("Content-Type"); kind != "" {
		if parsed, _, err := mime.ParseMediaType(kind); err != nil || parsed != "application/json" {
			return &problem{status: http.StatusUnsupportedMediaType, Code: "not_json", What: "the body is not said to be JSON",
				Why: fmt.Sprintf("its Content-Type is %.80q", kind), Remedy: "send Content-Type: application/json"}
		}
	}
	body := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	body.DisallowUnknownFields()
	err := body.Decode(into)
	if err == nil {
		if _, err = body.Token(); errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = errors.New("more follows the object")
		}
	}
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &problem{status: http.StatusRequestEntityTooLarge, Code: "too_large", What: "the body is too large",
			Why: fmt.Sprintf("the limit is %d bytes", large.Limit), Remedy: "send the order only"}
	}
	return &problem{status: http.StatusBadRequest, Code: "not_json", What: "the body is not the JSON object asked for", Why: err.Error(),
		Remedy: `send {"reference": "…", "customer": "…", "amount_cents": 1, "currency": "EUR"}`}
}

// writeJSON answers. A write that fails means that the client has gone: there is nobody left to tell.
func writeJSON(w http.ResponseWriter, status int, body any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(raw, '\n'))
	return nil
}
