package gateway

import (
	"fmt"
	"net/http"
)

// Control tells the gateway how to misbehave from the next point of each call
// on; it replaces what it was told before. It fails, changing nothing, on a
// Control that is wrong, and says all that is wrong with it. Safe for
// concurrent use.
func (s *Server) Control(c Control) error {
	if err := c.check(); err != nil {
		return fmt.Errorf("gateway: control: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = newDirectives(c)
	return nil
}

func (s *Server) postControl(w http.ResponseWriter, r *http.Request) *problem {
	var c Control
	if p := s.readJSON(w, r, &c); p != nil {
		return p
	}
	if err := s.Control(c); err != nil {
		return invalid("%v", err)
	}
	return s.getControl(w, r)
}

func (s *Server) getControl(w http.ResponseWriter, _ *http.Request) *problem {
	writeJSON(w, http.StatusOK, s.State())
	return nil
}

// release is the body of POST /release, and released its answer.
type (
	release struct {
		Orders []string `json:"orders,omitempty"`
	}
	released struct {
		Released int `json:"released"`
	}
)

func (s *Server) postRelease(w http.ResponseWriter, r *http.Request) *problem {
	var req release
	if p := s.readJSON(w, r, &req); p != nil {
		return p
	}
	writeJSON(w, http.StatusOK, released{s.Release(req.Orders...)})
	return nil
}

func (s *Server) getLivez(w http.ResponseWriter, _ *http.Request) *problem {
	select {
	case <-s.closed:
		return errClosed
	default:
		writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
		return nil
	}
}
