package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// readJSON reads one JSON object of at most MaxBody bytes, with no field unknown.
func (s *Server) readJSON(w http.ResponseWriter, r *http.Request, into any) *problem {
	dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, s.cfg.MaxBody))
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	if err == nil {
		if _, err = dec.Token(); errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = errors.New("more follows the object")
		}
	}
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &problem{http.StatusRequestEntityTooLarge, CodeTooLarge,
			fmt.Sprintf("the body is over the limit of %d bytes", large.Limit)}
	}
	return invalid("the body is not the JSON object asked for: %v", err)
}
