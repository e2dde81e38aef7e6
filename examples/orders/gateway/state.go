package gateway

import "maps"

// State is what the gateway says of itself.
type State struct {
	Control Control `json:"control"` // what is left of it
	Held    []Held  `json:"held"`    // the calls that are blocked now, in no order
	Counts  Counts  `json:"counts"`
}

// Held is one blocked call of POST /charges.
type Held struct {
	OrderID string `json:"order_id"`
	Key     string `json:"key"`
	Charged bool   `json:"charged"` // held after its charge was made
}

// Counts says what happened since the Server was made.
type Counts struct {
	Calls        int64 `json:"calls"`         // POST /charges that were well formed
	Charges      int64 `json:"charges"`       // charges made
	Replays      int64 `json:"replays"`       // repeats of a key that met the charge made before
	KeysReused   int64 `json:"keys_reused"`   // keys that came with another body
	Declined     int64 `json:"declined"`      // definite noes
	FailedBefore int64 `json:"failed_before"` // told to fail, nothing charged by the call
	FailedAfter  int64 `json:"failed_after"`  // told to fail once the charge was made
	FailedFinds  int64 `json:"failed_finds"`  // told to fail when asked about a key
	HoldsRefused int64 `json:"holds_refused"` // told to hold, but MaxHeld were held
}

// directives is a Control in use. Not safe for concurrent use.
type directives struct {
	latencyMS  int64
	ignoreKeys bool

	failBefore, holdBefore, decline, holdAfter, failAfter, failFind dial
}

func newDirectives(c Control) directives {
	return directives{
		latencyMS: c.LatencyMS, ignoreKeys: c.IgnoreKeys,
		failBefore: newDial(c.FailBefore), holdBefore: newDial(c.HoldBefore), decline: newDial(c.Decline),
		holdAfter: newDial(c.HoldAfter), failAfter: newDial(c.FailAfter), failFind: newDial(c.FailFind),
	}
}

func (d *directives) left() Control {
	return Control{
		LatencyMS: d.latencyMS, IgnoreKeys: d.ignoreKeys,
		FailBefore: d.failBefore.left(), HoldBefore: d.holdBefore.left(), Decline: d.decline.left(),
		HoldAfter: d.holdAfter.left(), FailAfter: d.failAfter.left(), FailFind: d.failFind.left(),
	}
}

// State returns the state at one moment. Safe for concurrent use.
func (s *Server) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := State{Control: s.told.left(), Held: make([]Held, 0, len(s.held)), Counts: s.counts}
	for call := range maps.Keys(s.held) {
		st.Held = append(st.Held, call.Held)
	}
	return st
}
