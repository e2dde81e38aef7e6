package mailsink

import (
	"fmt"
	"net/http"
)

// Control tells the sink how to misbehave from the next point of each mail on;
// it replaces what it was told before. It fails, changing nothing, on a Control
// that is wrong, and says all that is wrong with it. Safe for concurrent use.
func (s *Server) Control(c Control) error {
	if err := c.check(); err != nil {
		return fmt.Errorf("mailsink: control: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = c.copy()
	return nil
}

func (s *Server) postControl(r *http.Request) (any, error) {
	var c Control
	if err := readJSON(r, &c); err != nil {
		return nil, err
	}
	if err := s.Control(c); err != nil {
		return nil, err
	}
	return s.State(), nil
}

// release is the body of POST /release, and released its answer.
type (
	release struct {
		To []string `json:"to,omitempty"`
	}
	released struct {
		Released int `json:"released"`
	}
)

func (s *Server) postRelease(r *http.Request) (any, error) {
	var req release
	if err := readJSON(r, &req); err != nil {
		return nil, err
	}
	return released{s.Release(req.To...)}, nil
}
