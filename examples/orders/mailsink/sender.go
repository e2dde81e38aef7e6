package mailsink

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/emersion/go-smtp"
)

// SenderConfig says where and as whom to send.
type SenderConfig struct {
	Addr    string        // host:port of the mail server
	From    string        // the sender's address
	Hello   string        // what the sender calls itself; default localhost
	Timeout time.Duration // of one Send in all; default 30 s
}

// Sender sends mails over SMTP, one connection a mail. Make it with NewSender.
// Safe for concurrent use.
type Sender struct{ cfg SenderConfig }

// NewSender makes a sender; it does not connect. It fails on a SenderConfig that
// cannot hold, naming every fault.
func NewSender(cfg SenderConfig) (*Sender, error) {
	var errs []error
	fill(&errs, "Timeout", &cfg.Timeout, 30*time.Second)
	if _, port, err := net.SplitHostPort(cfg.Addr); err != nil || port == "" {
		errs = append(errs, fmt.Errorf("field Addr is %q; give host:port, such as 127.0.0.1:2525", cfg.Addr))
	}
	if err := checkAddress(cfg.From); err != nil {
		errs = append(errs, fmt.Errorf("field From: %w", err))
	}
	if cfg.Hello == "" {
		cfg.Hello = "localhost"
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("mailsink: new sender: %w", err)
	}
	return &Sender{cfg}, nil
}

// Send sends one mail, once: it never repeats by itself. nil means that the
// server accepted it. An error is an *Error and is either ErrNotSent (definite)
// or ErrUnknown: the reply to the end of the mail was lost.
func (s *Sender) Send(ctx context.Context, m Letter) error {
	text, err := m.write(s.cfg.From, time.Now())
	if err != nil {
		return &Error{MessageID: m.MessageID, Phase: "mail", Kinds: []error{ErrNotSent, ErrInvalid}, Err: err}
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	phase, err := s.send(ctx, m.To, text)
	if err == nil {
		return nil
	}
	e := &Error{MessageID: m.MessageID, Phase: phase, Err: err}
	if reply, ok := errors.AsType[*smtp.SMTPError](err); ok {
		e.Code = reply.Code
	} else if ctx.Err() != nil {
		e.Err = errors.Join(ctx.Err(), err)
	}
	e.Kinds = judge(phase, e.Code)
	return e
}

// judge says what a failure at a phase means, with the server's reply or 0.
func judge(phase string, code int) []error {
	switch {
	case code/100 == 5:
		return []error{ErrNotSent, ErrRefused}
	case phase != "dot":
		return []error{ErrNotSent} // without its end the server may not take a mail
	case code/100 == 4 && code != 421:
		return []error{ErrNotSent}
	}
	// No reply, one that makes no sense here, or 421: a server that goes down says
	// that whatever it did with the mail.
	return []error{ErrUnknown}
}

// send speaks SMTP and returns how far it came.
func (s *Sender) send(ctx context.Context, to string, text []byte) (phase string, err error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", s.cfg.Addr)
	if err != nil {
		return "dial", err
	}
	defer func() { _ = conn.Close() }()
	// Closed, not given a deadline: the SMTP client sets deadlines of its own.
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()

	c := smtp.NewClient(conn)
	c.CommandTimeout, c.SubmissionTimeout = s.cfg.Timeout, s.cfg.Timeout
	if err := c.Hello(s.cfg.Hello); err != nil {
		return "hello", err
	}
	if err := c.Mail(s.cfg.From, nil); err != nil {
		return "from", err
	}
	if err := c.Rcpt(to, nil); err != nil {
		return "to", err
	}
	data, err := c.Data()
	if err != nil {
		return "data", err
	}
	if _, err := data.Write(text); err != nil {
		return "body", err
	}
	if err := data.Close(); err != nil { // sends the dot and waits for the reply
		return "dot", err
	}
	_ = c.Quit() // the mail is accepted; how the session ends changes nothing
	return "", nil
}
