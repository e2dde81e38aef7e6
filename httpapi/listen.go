package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/twicehq/twice/queue"
)

// DefaultAddr is where the API listens unless told otherwise: on this machine only.
const DefaultAddr = "127.0.0.1:7420"

// Listen listens on a TCP address, host:port; empty: DefaultAddr. It fails with ErrExposed, before anything is
// open, where that is not a loopback address (as none is that names no host) and there are no tokens; with
// ErrInvalid where it is no address, and with ErrUnavailable where it is taken or not this machine's. A host's name
// is looked up once, and what was checked is what is listened on.
func Listen(addr string, tokens Tokens) (net.Listener, error) {
	if addr == "" {
		addr = DefaultAddr
	}
	at, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return nil, &queue.Error{Op: "listen", Subject: addr, Reason: queue.ErrInvalid, Detail: "it is no address", Cause: err, Remedy: "write host:port, such as " + DefaultAddr}
	}
	if !at.IP.IsLoopback() && !tokens.Any() {
		return nil, &queue.Error{Op: "listen", Subject: addr, Reason: ErrExposed, Detail: "anybody who reaches it could change everything",
			Remedy: "set TWICE_TOKENS, such as operator:alice=TOKEN,viewer:bob=TOKEN; or listen on " + DefaultAddr}
	}
	l, err := net.ListenTCP("tcp", at)
	if err != nil {
		return nil, &queue.Error{Op: "listen", Subject: addr, Reason: queue.ErrUnavailable, Cause: err, Remedy: "name another port, or end what has it"}
	}
	return l, nil
}

// Bounds of a connection.
const (
	headerTimeout = 5 * time.Second
	idleTimeout   = 2 * time.Minute
	maxHeader     = 16 << 10 // bytes
	lastWords     = 10 * time.Second
)

// HTTP gives the http.Server of handler, with bounds on headers and on the time that each part may take. timeout is
// the longest that a request may take to be carried out; Serve uses it, and so may whoever wraps the API.
func HTTP(handler http.Handler, timeout time.Duration, logger *slog.Logger) *http.Server {
	return &http.Server{
		Handler: handler, ReadHeaderTimeout: headerTimeout, ReadTimeout: 30 * time.Second, WriteTimeout: timeout + 30*time.Second,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader, ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
	}
}

// Serve answers requests that come through l until ctx ends; then it lets those under way end, for 10 s at most,
// stops operations and gives nil. It closes l.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	web := HTTP(s, s.cfg.Timeout, s.cfg.Logger)
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(l) }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
	defer cancel()
	if web.Shutdown(last) != nil {
		_ = web.Close()
	}
	_ = s.Close(last)
	if err == nil || errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return &queue.Error{Op: "serve", Subject: l.Addr().String(), Reason: queue.ErrUnavailable, Cause: err}
}
