package mailsink

// State is what the sink says of itself.
type State struct {
	Control Control `json:"control"` // what is left of it
	Held    []Held  `json:"held"`    // the mails that are blocked now, in no order
	Counts  Counts  `json:"counts"`
}

// Held is one blocked mail.
type Held struct {
	To        []string `json:"to"`
	MessageID string   `json:"message_id"`
	Accepted  bool     `json:"accepted"` // held after it was accepted
}

// Counts says what happened since the Server was made.
type Counts struct {
	Mails        int64 `json:"mails"`         // whose last dot came and whose headers could be read
	Accepted     int64 `json:"accepted"`      // kept
	Refused      int64 `json:"refused"`       // told to refuse
	FailedBefore int64 `json:"failed_before"` // told to fail, not accepted
	FailedAfter  int64 `json:"failed_after"`  // told to fail, accepted
	HoldsRefused int64 `json:"holds_refused"` // told to hold, but MaxHeld were held
}

// State returns the state at one moment. Safe for concurrent use.
func (s *Server) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := State{Control: s.told.copy(), Held: make([]Held, 0, len(s.held)), Counts: s.counts}
	for h := range s.held {
		st.Held = append(st.Held, h.Held)
	}
	return st
}
