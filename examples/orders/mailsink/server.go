package mailsink

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"

	"github.com/emersion/go-smtp"
)

// Server is the sink: SMTP by ServeSMTP, the observer's side as an http.Handler.
// Safe for concurrent use.
type Server struct {
	cfg    Config
	smtp   *smtp.Server
	mux    *http.ServeMux
	closed chan struct{}

	mu        sync.Mutex // guards what is below
	box       box
	told      Control
	held      map[*heldMail]struct{}
	counts    Counts
	sessions  int
	listeners []net.Listener
	shut      bool
}

// New makes a sink. It fails on a Config that cannot hold, naming every fault.
func New(cfg Config) (*Server, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("mailsink: new: %w", err)
	}
	s := &Server{cfg: cfg, closed: make(chan struct{}), held: map[*heldMail]struct{}{}}
	s.box = box{max: cfg.MaxMails, times: map[string]int{}}
	s.smtp = smtp.NewServer(smtp.BackendFunc(s.newSession))
	s.smtp.Domain = cfg.Domain
	s.smtp.MaxMessageBytes = cfg.MaxBytes
	s.smtp.MaxRecipients = cfg.MaxRecipients
	s.smtp.ReadTimeout = cfg.Timeout
	s.smtp.WriteTimeout = cfg.Timeout
	s.smtp.ErrorLog = slog.NewLogLogger(cfg.Logger.Handler(), slog.LevelWarn)
	s.mux = s.routes()
	return s, nil
}

// ServeSMTP serves the sessions of a listener until Close, then returns nil. It
// closes the listener. It may be called for several listeners.
func (s *Server) ServeSMTP(l net.Listener) error {
	s.mu.Lock()
	if s.shut {
		s.mu.Unlock()
		return errors.Join(errors.New("mailsink: serve: the server is closed; make a new one"), l.Close())
	}
	s.listeners = append(s.listeners, l)
	s.mu.Unlock()
	if err := s.smtp.Serve(l); err != nil {
		return fmt.Errorf("mailsink: serve: %w", err)
	}
	return nil
}

// ServeHTTP answers the observer.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Close stops accepting, closes listeners and sessions at once, and ends held
// mails without a reply. What was accepted can still be listed. A second Close
// does nothing.
func (s *Server) Close() error {
	s.mu.Lock()
	if s.shut {
		s.mu.Unlock()
		return nil
	}
	s.shut = true
	close(s.closed)
	listeners := s.listeners
	s.mu.Unlock()

	errs := []error{s.smtp.Close()}
	for _, l := range listeners {
		errs = append(errs, l.Close())
	}
	for i, err := range errs {
		if errors.Is(err, net.ErrClosed) {
			errs[i] = nil // closed by one of the two already
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("mailsink: close: %w", err)
	}
	return nil
}
