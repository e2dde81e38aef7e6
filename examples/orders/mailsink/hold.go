package mailsink

import "slices"

// heldMail is one blocked mail; closing free lets it go on.
type heldMail struct {
	Held
	free chan struct{}
}

// holdEnd says how a hold ended.
type holdEnd int

const (
	holdOver   holdEnd = iota // not held, or released
	holdFull                  // MaxHeld were held already
	holdClosed                // the server closes
)

// hold blocks the mail if the aim hits it, until it is released. A sender that
// goes away meanwhile changes nothing: its mail came whole.
func (s *Server) hold(a *Aim, m Mail, accepted bool) holdEnd {
	s.mu.Lock()
	if !a.hit(m.To) {
		s.mu.Unlock()
		return holdOver
	}
	if len(s.held) >= s.cfg.MaxHeld {
		s.counts.HoldsRefused++
		s.mu.Unlock()
		return holdFull
	}
	h := &heldMail{Held: Held{To: m.To, MessageID: m.MessageID, Accepted: accepted}, free: make(chan struct{})}
	s.held[h] = struct{}{}
	s.mu.Unlock()

	defer func() {
		s.mu.Lock()
		delete(s.held, h)
		s.mu.Unlock()
	}()
	select {
	case <-h.free:
		return holdOver
	case <-s.closed:
		return holdClosed
	}
}

// Release lets the held mails to any of these recipients go on, or with none
// named all of them, and returns how many it freed. The Control is unchanged:
// later mails may be held. Safe for concurrent use.
func (s *Server) Release(to ...string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	freed := 0
	for h := range s.held {
		named := func(rcpt string) bool { return slices.Contains(to, rcpt) }
		if len(to) == 0 || slices.ContainsFunc(h.To, named) {
			delete(s.held, h)
			close(h.free)
			freed++
		}
	}
	return freed
}
