package httpapi

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/twicehq/twice/queue"
)

// body reads the body of a change. It fails with ErrInvalid (it is no JSON by its content type) or ErrTooLarge.
func (s *Server) body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if charset := params["charset"]; err != nil || kind != "application/json" || charset != "" && !strings.EqualFold(charset, "utf-8") || r.Header.Get("Content-Encoding") != "" {
		return nil, reject(http.StatusUnsupportedMediaType, queue.ErrInvalid, "body", "its content type is not application/json", "send Content-Type: application/json and no Content-Encoding")
	}
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(s.cfg.MaxBody)))
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		return nil, &queue.Error{Op: "request", Subject: "body", Reason: queue.ErrTooLarge, Detail: fmt.Sprintf("it has more than %d bytes", long.Limit), Remedy: "send less in a request"}
	case err != nil:
		return nil, invalid("request", "body", "it ended early", "send it whole")
	}
	return b, nil
}
