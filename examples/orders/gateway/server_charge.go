package gateway

import "net/http"

// postCharge is POST /charges; Control names the points it passes, in order.
func (s *Server) postCharge(w http.ResponseWriter, r *http.Request) *problem {
	key := r.Header.Get("Idempotency-Key")
	if p := checkKey(key); p != nil {
		return p
	}
	var o order
	if p := s.readJSON(w, r, &o); p != nil {
		return p
	}
	if p := o.check(); p != nil {
		return p
	}
	s.countCall()
	if p := s.delay(r.Context()); p != nil {
		return p
	}
	if p := s.fail(&s.told.failBefore, o.OrderID, &s.counts.FailedBefore); p != nil {
		return p
	}
	if p := s.hold(r.Context(), &s.told.holdBefore, Held{OrderID: o.OrderID, Key: key}); p != nil {
		return p
	}
	c, made, p := s.charge(key, o)
	if p != nil {
		return p
	}
	if p := s.hold(r.Context(), &s.told.holdAfter, Held{OrderID: o.OrderID, Key: key, Charged: true}); p != nil {
		return p
	}
	if p := s.fail(&s.told.failAfter, o.OrderID, &s.counts.FailedAfter); p != nil {
		return p
	}
	if made {
		writeJSON(w, http.StatusCreated, c)
		return nil
	}
	w.Header().Set("Idempotent-Replayed", "true")
	writeJSON(w, http.StatusOK, c)
	return nil
}

// charge makes the charge, or finds the one made before under the key (made is
// false then). It is one step: of calls side by side with one key, one makes it.
func (s *Server) charge(key string, o order) (_ Charge, made bool, _ *problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shut {
		return Charge{}, false, errClosed
	}
	now := s.now()
	if c, known := s.book.find(key, now); known && !s.told.ignoreKeys {
		if !o.of(c) {
			s.counts.KeysReused++
			return Charge{}, false, &problem{http.StatusUnprocessableEntity, CodeKeyReused,
				"the key stands for charge " + c.ID + ", which is for another order, amount or currency; use a key of its own"}
		}
		s.counts.Replays++
		return c, false, nil
	}
	if s.told.decline.hit(o.OrderID) {
		s.counts.Declined++
		return Charge{}, false, &problem{http.StatusPaymentRequired, CodeDeclined,
			"the payment was declined; nothing was charged"}
	}
	c, p := s.book.add(key, o, now)
	if p != nil {
		return Charge{}, false, p
	}
	s.counts.Charges++
	return c, true, nil
}
