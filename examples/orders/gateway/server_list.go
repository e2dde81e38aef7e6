package gateway

import (
	"net/http"
	"strconv"
)

// getCharges is GET /charges: one charge by ?key=, else a page of the list.
func (s *Server) getCharges(w http.ResponseWriter, r *http.Request) *problem {
	if p := s.delay(r.Context()); p != nil {
		return p
	}
	q := r.URL.Query()
	if q.Has("key") {
		return s.getByKey(w, q.Get("key"))
	}
	limit := s.cfg.PageSize
	if q.Has("limit") {
		n, err := strconv.Atoi(q.Get("limit"))
		if err != nil || n < 1 || n > s.cfg.MaxPage {
			return invalid("limit is %q; give 1 to %d", q.Get("limit"), s.cfg.MaxPage)
		}
		limit = n
	}
	s.mu.Lock()
	page, p := s.book.page(q.Get("cursor"), limit)
	s.mu.Unlock()
	if p != nil {
		return p
	}
	writeJSON(w, http.StatusOK, page)
	return nil
}

// getByKey answers for one key. Being told to ignore keys changes nothing here:
// the gateway still says what was charged under it first.
func (s *Server) getByKey(w http.ResponseWriter, key string) *problem {
	if p := checkKey(key); p != nil {
		return p
	}
	s.mu.Lock()
	c, found := s.book.find(key, s.now())
	s.mu.Unlock()
	if p := s.fail(&s.told.failFind, c.OrderID, &s.counts.FailedFinds); p != nil {
		return p
	}
	if !found {
		return &problem{http.StatusNotFound, CodeNotFound, "no charge under this key in the last " + s.cfg.KeyLife.String()}
	}
	writeJSON(w, http.StatusOK, c)
	return nil
}
