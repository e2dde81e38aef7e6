package mailsink

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
)

// maxRequest bounds the body of a request to the HTTP side, in bytes.
const maxRequest = 64 << 10

// failure is an error on the wire.
type failure struct {
	Error string `json:"error"`
}

// routes are the observer's side.
func (s *Server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /mails", answer(s.getMails))
	mux.HandleFunc("GET /counts", answer(s.getCounts))
	mux.HandleFunc("POST /control", answer(s.postControl))
	mux.HandleFunc("GET /control", answer(func(*http.Request) (any, error) { return s.State(), nil }))
	mux.HandleFunc("POST /release", answer(s.postRelease))
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) {
		select {
		case <-s.closed:
			writeJSON(w, http.StatusServiceUnavailable, failure{"the sink is closed"})
		default:
			writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
		}
	})
	return mux
}

// answer writes what the handler returns as JSON: 200, or 400 with its error.
func answer(handle func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxRequest)
		body, err := handle(r)
		if err != nil {
			writeJSON(w, http.StatusBadRequest, failure{err.Error()})
			return
		}
		writeJSON(w, http.StatusOK, body)
	}
}

// writeJSON answers; a write that fails means that the observer has gone.
func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func (s *Server) getMails(r *http.Request) (any, error) {
	q := r.URL.Query()
	query := Query{To: q.Get("to"), MessageID: q.Get("message_id")}
	err := errors.Join(
		number(q, "cursor", &query.Cursor, 0, 0, s.cfg.MaxMails),
		number(q, "limit", &query.Limit, s.cfg.PageSize, 1, s.cfg.MaxPage))
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.box.page(query), nil
}

func (s *Server) getCounts(r *http.Request) (any, error) {
	q := r.URL.Query()
	var least, cursor, limit int
	err := errors.Join(
		number(q, "min", &least, 1, 1, s.cfg.MaxMails),
		number(q, "cursor", &cursor, 0, 0, s.cfg.MaxMails),
		number(q, "limit", &limit, s.cfg.PageSize, 1, s.cfg.MaxPage))
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.box.tally(least, cursor, limit), nil
}

// number reads one number of a query, which has a default and bounds.
func number(q url.Values, name string, into *int, byDefault, least, most int) error {
	*into = byDefault
	if !q.Has(name) {
		return nil
	}
	n, err := strconv.Atoi(q.Get(name))
	if err != nil || n < least || n > most {
		return fmt.Errorf("%s is %q; give %d to %d", name, q.Get(name), least, most)
	}
	*into = n
	return nil
}

// readJSON reads one JSON object with no field unknown.
func readJSON(r *http.Request, into any) error {
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("the body is not the JSON object asked for: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("the body is more than one JSON object; send one")
	}
	return nil
}
