package proof

import (
	"fmt"
	"net"
	"net/http"
	"syscall"
)

// Transport sees every request made through it. base sends them; nil: http.DefaultTransport. A request is told by its
// method, host and path; GET, HEAD and OPTIONS count as changing nothing. What fails before it was sent looks like a
// refused connection, what fails after like one that was reset.
func (o *Outside) Transport(base http.RoundTripper) http.RoundTripper {
	if base == nil {
		base = http.DefaultTransport
	}
	return transport{base, o}
}

// Client is a client of a server in this very process, whose every request is seen: see Transport.
func (o *Outside) Client(server http.Handler) *http.Client {
	return &http.Client{Transport: o.Transport(inProcess{server})}
}

type transport struct {
	base http.RoundTripper
	o    *Outside
}

// RoundTrip implements [http.RoundTripper].
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	var answer *http.Response
	c := call{name: r.Method + " " + r.URL.Host + r.URL.Path, effect: changes(r.Method)}
	c.refuse = func() error {
		return &net.OpError{Op: "dial", Net: "tcp", Err: fmt.Errorf("%w: %w", syscall.ECONNREFUSED, ErrRefused)}
	}
	c.lose = func() error {
		return &net.OpError{Op: "read", Net: "tcp", Err: fmt.Errorf("%w: %w", syscall.ECONNRESET, ErrLost)}
	}
	err := t.o.around(r.Context(), c, func() (string, error) {
		var err error
		answer, err = t.base.RoundTrip(r)
		if err != nil {
			return outcome(err), err
		}
		return answer.Status, nil
	})
	if err != nil {
		if answer != nil {
			_ = answer.Body.Close()
		} else if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, err
	}
	return answer, nil
}

func changes(method string) bool {
	return method != http.MethodGet && method != http.MethodHead && method != http.MethodOptions
}
