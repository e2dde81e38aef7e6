package mailsink

import (
	"errors"
	"io"
	"sync"

	"github.com/emersion/go-smtp"
)

// session is one SMTP connection after its greeting.
type session struct {
	s     *Server
	conn  *smtp.Conn
	leave func() // gives the place among MaxSessions back; once
	from  string
	to    []string
}

var (
	errTold     = &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 0}, Message: "Told to fail; not accepted, try again"}
	errRefuse   = &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 7, 1}, Message: "Told to refuse; not accepted"}
	errFull     = &smtp.SMTPError{Code: 452, EnhancedCode: smtp.EnhancedCode{4, 3, 1}, Message: "The sink holds all the mails it may; raise MaxMails"}
	errBusy     = &smtp.SMTPError{Code: 421, EnhancedCode: smtp.EnhancedCode{4, 7, 0}, Message: "All sessions are in use; try again, or raise MaxSessions"}
	errClosing  = &smtp.SMTPError{Code: 421, EnhancedCode: smtp.EnhancedCode{4, 3, 2}, Message: "The sink is closing"}
	errHeldFull = &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 0}, Message: "Told to hold more mails than it may; not accepted"}
	errUnread   = &smtp.SMTPError{Code: 554, EnhancedCode: smtp.EnhancedCode{5, 6, 0}, Message: "The mail cannot be read; give headers, an empty line and a body"}
)

func (s *Server) newSession(conn *smtp.Conn) (smtp.Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shut {
		return nil, errClosing
	}
	if s.sessions >= s.cfg.MaxSessions {
		return nil, errBusy
	}
	s.sessions++
	leave := sync.OnceFunc(func() {
		s.mu.Lock()
		s.sessions--
		s.mu.Unlock()
	})
	return &session{s: s, conn: conn, leave: leave}, nil
}

func (c *session) Reset()        { c.from, c.to = "", nil }
func (c *session) Logout() error { c.leave(); return nil }

func (c *session) Mail(from string, _ *smtp.MailOptions) error {
	c.from = from
	return nil
}

func (c *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	c.to = append(c.to, to)
	return nil
}

// Data reads one mail to its last dot and takes it past the points of Control.
func (c *session) Data(r io.Reader) error {
	m, err := readMail(r)
	if _, ok := errors.AsType[*smtp.SMTPError](err); ok || errors.Is(err, io.ErrUnexpectedEOF) {
		return err // too large, or the sender went away before the dot
	}
	if err != nil {
		return errUnread
	}
	m.From, m.To = c.from, c.to
	reply, drop := c.s.take(m)
	if drop {
		// The reply that is written after this goes nowhere.
		_ = c.conn.Conn().Close()
	}
	if reply != nil {
		return reply
	}
	return nil
}
