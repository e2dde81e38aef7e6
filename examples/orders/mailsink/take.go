package mailsink

import "github.com/emersion/go-smtp"

// take decides on one mail that came whole: what to reply (nil is 250), and
// whether to drop the connection instead.
func (s *Server) take(m Mail) (reply *smtp.SMTPError, drop bool) {
	s.mu.Lock()
	s.counts.Mails++
	if s.told.Refuse.hit(m.To) {
		s.counts.Refused++
		s.mu.Unlock()
		return errRefuse, false
	}
	if s.told.FailBefore.hit(m.To) {
		drop := s.told.FailBefore.Drop
		s.counts.FailedBefore++
		s.mu.Unlock()
		return errTold, drop
	}
	s.mu.Unlock()

	switch s.hold(&s.told.HoldBefore, m, false) {
	case holdFull:
		return errHeldFull, false
	case holdClosed:
		return nil, true
	}
	if reply := s.accept(m); reply != nil {
		return reply, false
	}
	// From here on the mail is accepted: a reply that says otherwise would be a
	// lie, so what goes wrong is a connection that breaks.
	if s.hold(&s.told.HoldAfter, m, true) != holdOver {
		return nil, true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.told.FailAfter.hit(m.To) {
		s.counts.FailedAfter++
		return nil, true
	}
	return nil, false
}

// accept keeps the mail.
func (s *Server) accept(m Mail) *smtp.SMTPError {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shut {
		return errClosing
	}
	m.ReceivedAt = s.cfg.Now().UTC()
	if !s.box.add(m) {
		return errFull
	}
	s.counts.Accepted++
	return nil
}
